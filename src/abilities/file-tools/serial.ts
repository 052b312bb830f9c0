/** One after another per key; different keys do not wait for each other. */

/** Runs `job` when every earlier job of the same key has settled. */
type Serial = <T>(key: string, job: () => Promise<T>) => Promise<T>;

/** Makes an independent set of rows; a row without jobs takes no memory. */
export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return async (key, job) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(job, job);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

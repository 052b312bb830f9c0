/** Gives up on a response that has gone silent, and passes the caller's abort on to the request. */

/** A clock that runs only while the next chunk is awaited: a slow consumer never counts as a silent provider. */
interface IdleTimeout {
  /** Aborts when the caller's signal aborts and when the provider stays silent too long. */
  readonly signal: AbortSignal;
  /** True once the silence has lasted as long as it may. */
  readonly expired: boolean;
  /** Starts waiting for the next chunk, for so many milliseconds at most. */
  arm(ms: number): void;
  /** A chunk has arrived. */
  disarm(): void;
  /** Lets go of everything: timer, caller's signal, and the request where its body was not read to the end. */
  dispose(): void;
}

/** Creates a disarmed idle timeout. `caller` is the signal of whoever asked for the response. */
export function createIdleTimeout(caller: AbortSignal): IdleTimeout {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let expired = false;

  const onCallerAbort = () => controller.abort(caller.reason);
  if (caller.aborted) onCallerAbort();
  else caller.addEventListener('abort', onCallerAbort, { once: true });

  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    arm(ms) {
      disarm();
      timer = setTimeout(() => {
        expired = true;
        controller.abort();
      }, ms);
    },
    disarm,
    dispose() {
      disarm();
      caller.removeEventListener('abort', onCallerAbort);
      controller.abort();
    },
  };
}

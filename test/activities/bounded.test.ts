import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { bounded, TimedOut } from '../../src/activities/bounded.ts';

const patient = { timeoutMs: 60_000, graceMs: 60_000, stop: new AbortController().signal };
const never = () => new Promise<never>(() => {});

describe('bounded', () => {
  it('gives what the work gives, value or error', async () => {
    expect(await bounded(async () => 'done', patient)).toBe('done');
    const failing = bounded(() => Promise.reject(new Error('broken')), patient);
    await expect(failing).rejects.toThrow('broken');
    const throwing = bounded(() => {
      throw new Error('broken at once');
    }, patient);
    await expect(throwing).rejects.toThrow('broken at once');
  });

  it('does not wait for work that looks at no signal: at its timeout, or after the grace period', async () => {
    await expect(bounded(never, { ...patient, timeoutMs: 1 })).rejects.toThrow(TimedOut);
    const stop = AbortSignal.abort(new Error('stop'));
    await expect(bounded(never, { ...patient, stop, graceMs: 1 })).rejects.toThrow('stop');
  });

  it('lets work that is told to stop end by itself', async () => {
    const controller = new AbortController();
    const work = async (signal: AbortSignal) => {
      await once(signal, 'abort');
      return `ended: ${signal.reason.message}`;
    };
    const outcome = bounded(work, { ...patient, stop: controller.signal });
    controller.abort(new Error('stop'));
    expect(await outcome).toBe('ended: stop');
  });

  it('takes a timeout of months for what it is', async () => {
    expect(await bounded(async () => 'done', { ...patient, timeoutMs: 2 ** 33 })).toBe('done');
    const stop = AbortSignal.abort(new Error('stop'));
    const bounds = { timeoutMs: 2 ** 33, graceMs: 20, stop };
    await expect(bounded(never, bounds)).rejects.toThrow('stop');
  });
});

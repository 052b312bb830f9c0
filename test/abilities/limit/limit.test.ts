import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { limit } from '../../../src/abilities/limit/limit.ts';
import type { Tool } from '../../../src/tools/define-tool.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { wrapTool } from '../../../src/tools/wrap-tool.ts';

const tool = defineTool({
  name: 'work',
  description: '',
  input: z.object({}),
  execute: () => 'done',
});
const never = new AbortController().signal;

function admitted(limited: Tool, signal = never): Promise<() => void> {
  if (limited.admit === undefined) throw new Error('there is no gate');
  return limited.admit(signal);
}

/** Lets what can go on go on. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
}

describe('a limit', () => {
  it('is shared by all tools that it wraps, and by nothing else', async () => {
    const one = limit({ concurrency: 1 });
    const [a, b] = [one(tool), one({ ...tool, name: 'other' })];
    const leave = await admitted(a);
    let isIn = false;
    const waiting = admitted(b).then((leaveB) => {
      isIn = true;
      return leaveB;
    });
    await admitted(limit({ concurrency: 1 })(tool));
    await settled();
    expect(isIn).toBe(false);
    leave();
    (await waiting)();
    await admitted(a);
  });

  it('never lets more in than it says, in the order in which they came, whatever leaves when', async () => {
    const steps = fc.array(fc.oneof(fc.constant('come'), fc.constant('leave'), fc.nat(20)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (given, concurrency) => {
        const limited = limit({ concurrency })(tool);
        const inside: { id: number; leave: () => void }[] = [];
        const waiting: { id: number; controller: AbortController }[] = [];
        const entered: number[] = [];
        let id = 0;
        for (const step of given) {
          if (step === 'come') {
            const mine = id++;
            const controller = new AbortController();
            waiting.push({ id: mine, controller });
            admitted(limited, controller.signal).then(
              (leave) => {
                entered.push(mine);
                inside.push({ id: mine, leave });
                waiting.splice(
                  waiting.findIndex((each) => each.id === mine),
                  1,
                );
              },
              () => undefined,
            );
          } else if (step === 'leave') {
            const first = inside.shift();
            first?.leave();
            // Leaving twice gives no second place.
            first?.leave();
          } else if (waiting.length > 0) {
            const [gone] = waiting.splice(step % waiting.length, 1);
            gone?.controller.abort(new Error('gone'));
          }
          await settled();
          expect(inside.length).toBeLessThanOrEqual(concurrency);
          if (waiting.length > 0) expect(inside).toHaveLength(concurrency);
        }
        expect(entered).toEqual(entered.toSorted((x, y) => x - y));
      }),
    );
  });

  it('passes on why a caller does not wait any longer', async () => {
    const limited = limit({ concurrency: 1 })(tool);
    await admitted(limited);
    const reason = new Error('cancelled');
    await expect(admitted(limited, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = admitted(limited, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('gives up after its longest wait, naming itself', async () => {
    vi.useFakeTimers();
    try {
      const limited = limit({ concurrency: 1, name: 'the printer', maxWait: '2 minutes' })(tool);
      expect(limited.maxWaitMs).toBe(120_000);
      const leave = await admitted(limited);
      const late = admitted(limited);
      const refused = expect(late).rejects.toThrow('no place at the printer within 120 seconds');
      await vi.advanceTimersByTimeAsync(120_000);
      await refused;
      leave();
      await admitted(limited);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits an hour unless told otherwise, and adds up with other limits', () => {
    const outer = limit({ concurrency: 1, maxWait: '1 minute' });
    const inner = limit({ concurrency: 1 });
    expect(inner(tool).maxWaitMs).toBe(3_600_000);
    expect(wrapTool(tool, outer, inner).maxWaitMs).toBe(3_660_000);
  });

  it('counts a call once, however often the same limit is put around its tool', async () => {
    const one = limit({ concurrency: 1 });
    const twice = wrapTool(tool, one, (next) => ({ ...next, run: next.run }), one);
    expect(twice.maxWaitMs).toBe(3_600_000);
    (await admitted(twice))();
    await admitted(twice);
  });

  it('does not lock up when two limits are put around tools in both orders', async () => {
    const [a, b] = [limit({ concurrency: 1 }), limit({ concurrency: 1 })];
    const [ab, ba] = [wrapTool(tool, a, b), wrapTool(tool, b, a)];
    const one = admitted(ab);
    const two = admitted(ba);
    const three = admitted(ab);
    (await one)();
    (await two)();
    (await three)();
  });

  it('gives back what it holds when a further gate refuses', async () => {
    const one = limit({ concurrency: 1 });
    const closed = { ...tool, admit: () => Promise.reject(new Error('closed')), maxWaitMs: 5 };
    const limited = one(closed);
    expect(limited.maxWaitMs).toBe(3_600_005);
    await expect(admitted(limited)).rejects.toThrow('closed');
    await admitted(one(tool));
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a concurrency of %d', (concurrency) => {
    expect(() => limit({ concurrency, name: 'db' })).toThrow(
      new TypeError(`limit of db: concurrency: ${concurrency} is no whole number from 1`),
    );
  });
});

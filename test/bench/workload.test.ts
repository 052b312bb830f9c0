import { describe, expect, it } from 'vitest';
import { createWorkload, textOfBytes } from '../../bench/workload.ts';
import { textOf } from '../../src/chat/text-of.ts';

describe('the workload', () => {
  it('says texts of exactly the size asked for', async () => {
    expect(Buffer.byteLength(textOfBytes(1000))).toBe(1000);
    const { model, instructions } = createWorkload(333);
    const request = {
      messages: [{ role: 'user' as const, parts: [{ kind: 'text' as const, text: instructions }] }],
    };
    const { output } = await model.generate(request, { signal: new AbortController().signal });
    expect(output.message && textOf(output.message)).toHaveLength(333);
    expect(output.finishReason).toBe('tool_calls');
  });

  it('notes each model call for the one who watches last', async () => {
    const workload = createWorkload(10);
    const ask = () =>
      workload.model.generate(
        { messages: [{ role: 'user', parts: [{ kind: 'text', text: 'go on' }] }] },
        { signal: new AbortController().signal },
      );
    const first = workload.watch();
    await ask();
    await ask();
    const second = workload.watch();
    await ask();
    expect([first.length, second.length]).toEqual([2, 1]);
  });
});

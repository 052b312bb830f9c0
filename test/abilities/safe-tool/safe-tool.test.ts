import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { safeTool } from '../../../src/abilities/safe-tool/safe-tool.ts';
import { messageOf } from '../../../src/activities/error-text.ts';
import type { ToolContext } from '../../../src/tools/define-tool.ts';
import { defineTool, InvalidToolInput, RetryableError } from '../../../src/tools/define-tool.ts';
import { wrapTool } from '../../../src/tools/wrap-tool.ts';
import { toolContext } from '../../tools/tool-context.ts';

function throwing(thrown: unknown) {
  const tool = defineTool({
    name: 'pay',
    description: '',
    input: z.object({ to: z.string() }),
    effect: 'keyed',
    retries: 1,
    execute() {
      throw thrown;
    },
  });
  return wrapTool(tool, safeTool());
}

async function thrownBy(
  thrown: unknown,
  more: Partial<ToolContext> = {},
  input = { to: 'Ann' },
): Promise<unknown> {
  return await throwing(thrown)
    .run(input, toolContext(more.signal, more))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('a safe tool', () => {
  it.each([
    [new Error('the disk is on fire'), 'the disk is on fire'],
    [new TypeError(''), 'TypeError'],
    ['just text', 'just text'],
  ])('tells attempt and input of what was thrown: %s', async (thrown, said) => {
    const error = await thrownBy(thrown, { attempt: 2 });
    expect(messageOf(error)).toBe(`attempt 2 with input {"to":"Ann"}: ${said}`);
  });

  it('tells of nothing thrown at all, too', async () => {
    expect(messageOf(await thrownBy(undefined))).toBe('attempt 1 with input {"to":"Ann"}');
  });

  it('shortens a long input', async () => {
    const error = await thrownBy(new Error('no'), {}, { to: 'x'.repeat(10_000) });
    expect(messageOf(error)).toMatch(/^attempt 1 with input \{"to":"x{190,200}…: no$/);
  });

  it('asks for another attempt as the tool does, and tells of the last one', async () => {
    const busy = new RetryableError('busy');
    expect(await thrownBy(busy, { attempt: 1 })).toBe(busy);
    expect(messageOf(await thrownBy(busy, { attempt: 2 }))).toMatch(/^attempt 2 .*: busy$/);
  });

  it('leaves alone what says enough: invalid input, and the reason of a call that was stopped', async () => {
    // @ts-expect-error: not what the schema asks for
    expect(await thrownBy(new Error('unused'), {}, { to: 7 })).toBeInstanceOf(InvalidToolInput);
    const stopped = new Error('stopped');
    expect(await thrownBy(stopped, { signal: AbortSignal.abort(stopped) })).toBe(stopped);
  });
});

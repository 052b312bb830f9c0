import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../src/tools/define-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolWrapper } from '../../src/tools/wrap-tool.ts';
import { wrapTool } from '../../src/tools/wrap-tool.ts';
import { toolContext } from './tool-context.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

function around(mark: string): ToolWrapper {
  return (next) => ({
    ...next,
    run: async (input, context) => `${mark}(${await next.run(input, context)})`,
  });
}

describe('a wrapped tool', () => {
  it('has the first wrapper outermost, and is the tool itself without any', async () => {
    const wrapped = wrapTool(echo, around('a'), around('b'));
    expect(await wrapped.run({ text: 'x' }, toolContext())).toBe('a(b(x))');
    expect(wrapTool(echo)).toBe(echo);
  });

  it.each<[string, Partial<Tool>]>([
    ['changed its name', { name: 'other' }],
    ['changed its effect', { effect: 'none' }],
    ['lets it run more than once, although its effect is once', { maxAttempts: 2 }],
    ['changed its input schema', { inputSchema: { type: 'object' } }],
  ])('is refused when a wrapper %s', (problem, change) => {
    const wrap = () => wrapTool(echo, around('a'), (next) => ({ ...next, ...change }));
    expect(wrap).toThrow(new TypeError(`a wrapper of tool echo ${problem}`));
  });

  it.each([undefined, null, 7, 'echo', {}, { ...echo, run: undefined }])(
    'is refused when a wrapper answers with %j',
    (answer) => {
      // @ts-expect-error: what untyped code may return
      const wrap = () => wrapTool(echo, () => answer);
      expect(wrap).toThrow(new TypeError('a wrapper of tool echo returned no tool'));
    },
  );

  it('is not made when a wrapper throws', () => {
    const wrap = () =>
      wrapTool(echo, () => {
        throw new Error('no');
      });
    expect(wrap).toThrow(new Error('no'));
  });

  it('keeps the gate of the tool inside a wrapper that does not know it', async () => {
    const admit = async () => () => {};
    /** A tool with members of its own class, which a copy would lose. */
    class Counted implements Tool {
      readonly name = echo.name;
      readonly description = echo.description;
      readonly inputSchema = echo.inputSchema;
      readonly effect = echo.effect;
      readonly timeoutMs = 5;
      readonly maxAttempts = echo.maxAttempts;
      readonly maxResultBytes = echo.maxResultBytes;
      #calls = 0;
      check(input: Parameters<Tool['check']>[0]) {
        return echo.check(input);
      }
      async run() {
        this.#calls += 1;
        return `call ${this.#calls}`;
      }
    }
    const wrapped = wrapTool({ ...echo, admit, maxWaitMs: 7 }, () => new Counted());
    expect(wrapped).toMatchObject({ admit, maxWaitMs: 7, timeoutMs: 5 });
    expect(await wrapped.run({}, toolContext())).toBe('call 1');
    expect(await wrapped.check({ text: 'x' })).toMatchObject({ ok: true });
  });
});

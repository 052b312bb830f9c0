/** Defining a tool and running it with what a model sent. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, InvalidToolInput, RetryableError } from '../../src/tools/define-tool.ts';
import { toolContext } from './tool-context.ts';

const input = z.object({ city: z.string().min(1), days: z.int().default(1) });

function weather(options: Partial<Parameters<typeof defineTool<typeof input>>[0]> = {}) {
  return defineTool({
    name: 'weather',
    description: 'Tells the weather.',
    input,
    execute: ({ city, days }) => `${city}: rain for ${days} days`,
    ...options,
  });
}

describe('defining a tool', () => {
  it('makes it run once at most, unless its effect says that repeating is safe', () => {
    expect(weather()).toMatchObject({ effect: 'once', maxAttempts: 1 });
    expect(weather({ retries: 3 })).toMatchObject({ effect: 'once', maxAttempts: 1 });
    expect(weather({ effect: 'none' }).maxAttempts).toBe(5);
    expect(weather({ effect: 'keyed', retries: 0 }).maxAttempts).toBe(1);
    expect(weather({ effect: 'idempotent', retries: 2 }).maxAttempts).toBe(3);
  });

  it('gives an attempt one minute and a result 32 KB unless told otherwise', () => {
    expect(weather()).toMatchObject({ timeoutMs: 60_000, maxResultBytes: 32 * 1024 });
    expect(weather({ timeout: '5 seconds', maxResultBytes: 100 })).toMatchObject({
      timeoutMs: 5_000,
      maxResultBytes: 100,
    });
  });

  it.each(['', 'two words', 'a.b', 'é', 'x'.repeat(65)])(
    'refuses a name that some provider would refuse: %j',
    (name) => {
      expect(() => weather({ name })).toThrow(/^tool name .* does not match/);
    },
  );

  it.each([
    [{ effect: 'none', retries: -1 }, 'tool weather: retries: -1 is no whole number from 0'],
    [{ effect: 'none', retries: 0.5 }, 'tool weather: retries: 0.5 is no whole number from 0'],
    [{ maxResultBytes: 0 }, 'tool weather: maxResultBytes: 0 is no whole number from 1'],
    [{ timeout: -5 }, 'tool weather: timeout: -5 is no positive duration'],
  ] as const)('refuses a number that means nothing: %j', (options, message) => {
    expect(() => weather(options)).toThrow(new TypeError(message));
  });
});

describe('running a tool', () => {
  it('hands over the checked input, defaults filled in', async () => {
    expect(await weather().run({ city: 'Bath' }, toolContext())).toBe('Bath: rain for 1 days');
  });

  it('refuses an input that does not fit, naming each field, and does not execute', async () => {
    let executed = false;
    const tool = weather({
      execute: () => {
        executed = true;
      },
    });

    const rejected = tool.run({ city: '', days: 'two' }, toolContext());

    await expect(rejected).rejects.toThrow(InvalidToolInput);
    await expect(rejected).rejects.toThrow(/^city: .*; days: .*/);
    expect(executed).toBe(false);
  });

  it('names the input itself when no field is at fault', async () => {
    const strict = defineTool({
      name: 'strict',
      description: '',
      input: z.strictObject({}),
      execute: () => undefined,
    });

    await expect(strict.run({ extra: 1 }, toolContext())).rejects.toThrow(/^input: .*extra/);
  });

  it('waits for asynchronous refinements', async () => {
    const tool = defineTool({
      name: 'slow',
      description: '',
      input: z.object({ a: z.string().refine(async (text) => text === 'yes') }),
      execute: ({ a }) => a,
    });

    expect(await tool.run({ a: 'yes' }, toolContext())).toBe('yes');
    await expect(tool.run({ a: 'no' }, toolContext())).rejects.toThrow(InvalidToolInput);
  });

  it('passes on what execute throws, untouched', async () => {
    const thrown = new RetryableError('busy', { retryAfterMs: 5, cause: 'load' });
    const tool = weather({
      execute: () => {
        throw thrown;
      },
    });

    await expect(tool.run({ city: 'Bath' }, toolContext())).rejects.toBe(thrown);
    expect(thrown).toMatchObject({ name: 'RetryableError', retryAfterMs: 5, cause: 'load' });
  });
});

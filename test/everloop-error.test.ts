import { expect, it } from 'vitest';
import { ConfigurationError, EverloopError, errorCodes } from '../src/everloop-error.ts';

it('each code is there once and fits in a URL', () => {
  expect(new Set(errorCodes).size).toBe(errorCodes.length);
  for (const code of errorCodes) expect(code).toMatch(/^[a-z_]+$/);
});

it('an error carries its code, its hint and what lies underneath', () => {
  const cause = new Error('refused');
  const error = new EverloopError('not_found', 'no run r1', { hint: 'see `everloop ls`', cause });
  expect(error).toMatchObject({
    code: 'not_found',
    message: 'no run r1',
    hint: 'see `everloop ls`',
  });
  expect(error.cause).toBe(cause);
  expect(error.name).toBe('EverloopError');
});

it('an error without hint and cause has neither property', () => {
  const error = new EverloopError('rejected', 'not now');
  expect('hint' in error).toBe(false);
  expect('cause' in error).toBe(false);
});

it('a configuration error shows all problems at once', () => {
  const problems = [
    { where: 'OPENAI_API_KEY', what: 'not set' },
    { where: 'agents.writer.model', what: 'unknown model "gpt-0"' },
  ];
  const error = new ConfigurationError('the configuration has 2 problems', problems);
  expect(error).toBeInstanceOf(EverloopError);
  expect(error.code).toBe('configuration');
  expect(error.problems).toEqual(problems);
  expect(error.message).toBe(
    'the configuration has 2 problems\n' +
      '  OPENAI_API_KEY: not set\n' +
      '  agents.writer.model: unknown model "gpt-0"',
  );
});

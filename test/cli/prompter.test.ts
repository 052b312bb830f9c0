/** A person at the prompt of `run`: what is asked, what is made of the replies, and what stays on the screen. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Attendant } from '../../src/cli/attendant.ts';
import type { PromptLine } from '../../src/cli/prompt-line.ts';
import { canAsk, createPromptLine } from '../../src/cli/prompt-line.ts';
import { createPrompter } from '../../src/cli/prompter.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { RunEvent } from '../../src/loop/events.ts';

interface Stage {
  readonly terminal: Terminal;
  readonly line: PromptLine;
  readonly attendant: Attendant;
  /** What was given to runs. */
  readonly given: unknown[];
  /** Errors that the next gifts meet with. */
  readonly refusals: Error[];
  type(text: string): void;
  /** Resolves when the screen shows the text after what was seen before. */
  seen(text: string): Promise<string>;
  stop(): void;
}

function makeStage(): Stage {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  const stop = new AbortController();
  const terminal: Terminal = {
    env: {},
    directory: '.',
    stdin,
    stdout: new PassThrough(),
    stderr,
    interrupted: stop.signal,
  };
  let screen = '';
  let look = () => {};
  stderr.on('data', (piece: Buffer) => {
    screen += piece.toString();
    look();
  });
  const given: unknown[] = [];
  const refusals: Error[] = [];
  const give = async (...gift: readonly unknown[]) => {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    given.push(gift);
  };
  const line = createPromptLine(terminal);
  const attendant = createPrompter(line, {
    decide: (runId, callId, { by: _, ...decision }) => give(runId, callId, decision),
    answer: (runId, callId, text) => give(runId, callId, text),
  });
  return {
    terminal,
    line,
    attendant,
    given,
    refusals,
    type: (text) => stdin.write(text),
    async seen(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => screen.includes(text) && resolve();
      look();
      await promise;
      const end = screen.indexOf(text) + text.length;
      const before = screen.slice(0, end);
      screen = screen.slice(end);
      return before;
    },
    stop: () => stop.abort(),
  };
}

let count = 0;
function event<Type extends RunEvent['type']>(
  type: Type,
  data: Extract<RunEvent, { type: Type }>['data'],
  runId = 'r',
): RunEvent {
  count += 1;
  return { type, id: String(count), runId, iteration: 1, at: 0, data } as RunEvent;
}

function request(callId: string, runId = 'r'): RunEvent {
  return event('approval-request', { callId, name: 'pay', input: '{ "cents": 500 }' }, runId);
}

const choice = '[y]es, [n]o, [a]lways, [e]dit';

describe('a person at the prompt', () => {
  it.each([
    ['y', { decision: 'allow' }],
    ['YES', { decision: 'allow' }],
    ['a', { decision: 'allow', remember: true }],
    ['n', { decision: 'deny' }],
    ['no, too much', { decision: 'deny', reason: 'too much' }],
  ])('decides with %j', async (typed, decision) => {
    const { attendant, type, seen, given } = makeStage();
    attendant.event(request('c1'));
    expect(await seen(choice)).toContain('Allow pay { "cents": 500 }?');
    type(`${typed}\r`);
    await expect.poll(() => given).toEqual([['r', 'c1', decision]]);
  });

  it('is asked again after what is no decision, and may change the input', async () => {
    const { attendant, type, seen, given } = makeStage();
    attendant.event(request('c1'));
    await seen(choice);
    type('\r');
    await seen(choice);
    type('never\r');
    await seen(choice);
    type('e\r');
    await seen('{"cents":500}');
    type('oops\r');
    await seen('This is no JSON');
    await seen('oops');
    // Ctrl-U takes away what stands there.
    type('\u0015[1]\r');
    await seen('This is no JSON object');
    type('\u0015\r');
    await seen(choice);
    type('e\r');
    await seen('{"cents":500}');
    type('\u0015{"cents":5}\r');
    await expect
      .poll(() => given)
      .toEqual([['r', 'c1', { decision: 'edit', input: { cents: 5 } }]]);
  });

  it('sees all of an input that is longer than a line before it is asked', async () => {
    const { attendant, seen } = makeStage();
    const input = JSON.stringify({ text: 'a'.repeat(150), to: 'everyone' });
    attendant.event(event('approval-request', { callId: 'c1', name: 'mail', input }));
    const shown = await seen(choice);
    expect(shown).toContain(`"text": "${'a'.repeat(150)}"`);
    expect(shown).toContain('"to": "everyone"');
    expect(shown).toContain('Allow mail {"text":"aaa');
  });

  it('is asked one thing after another, of sub-agents by name', async () => {
    const { attendant, type, seen, given } = makeStage();
    const child = { callId: 't', runId: 'sub', agent: 'boss/task' };
    attendant.event(event('child-start', child));
    attendant.event(request('c1'));
    attendant.event(request('c2', 'sub'));
    await seen(choice);
    type('y\r');
    expect(await seen(choice)).toContain('of sub-agent boss/task?');
    type('n\r');
    await expect
      .poll(() => given)
      .toEqual([
        ['r', 'c1', { decision: 'allow' }],
        ['sub', 'c2', { decision: 'deny' }],
      ]);
  });

  it('answers questions by number or in words', async () => {
    const { attendant, type, seen, given } = makeStage();
    const input = JSON.stringify({ question: 'Which colour?', choices: ['red', 'green'] });
    for (const callId of ['q1', 'q2', 'q3']) {
      attendant.event(event('question', { callId, name: 'ask_user', input }));
    }
    expect(await seen('Answer (1-2, or a text):')).toMatch(/Which colour\?.*1\) red.*2\) green/s);
    type('\r');
    await seen('Answer (1-2, or a text):');
    type('2\r');
    await seen('Answer (1-2, or a text):');
    type('blue\r');
    await seen('Answer (1-2, or a text):');
    type('7\r');
    await expect
      .poll(() => given)
      .toEqual([
        ['r', 'q1', 'green'],
        ['r', 'q2', 'blue'],
        ['r', 'q3', '7'],
      ]);
  });

  it('is asked no longer about what somebody else has decided, or what has ended', async () => {
    const { attendant, type, seen, given } = makeStage();
    attendant.event(request('c1'));
    await seen(choice);
    attendant.event(request('c2'));
    attendant.event(request('c3', 'sub'));
    attendant.event(request('c4'));
    const decision = { name: 'pay', decision: 'allow' } as const;
    attendant.event(event('approval-decision', { ...decision, callId: 'c2' }));
    attendant.event(event('approval-decision', { ...decision, callId: 'c1' }));
    const usage = { inputTokens: 0, outputTokens: 0, unreported: 0 } as const;
    const ending = { stopReason: 'cancelled', detail: '', usage } as const;
    attendant.event(event('run-end', ending as never, 'sub'));
    await seen(choice);
    type('y\r');
    await expect.poll(() => given).toEqual([['r', 'c4', { decision: 'allow' }]]);
  });

  it('is told when a decision was too late, and asked again when the server was away', async () => {
    const { attendant, type, seen, given, refusals } = makeStage();
    refusals.push(
      new EverloopError('engine_unreachable', 'the server is away'),
      new EverloopError('rejected', 'decided already'),
    );
    attendant.event(request('c1'));
    attendant.event(request('c2'));
    await seen(choice);
    type('y\r');
    await seen('the server is away');
    await seen(choice);
    type('y\r');
    await seen('decided already');
    await seen(choice);
    type('y\r');
    await expect.poll(() => given).toEqual([['r', 'c2', { decision: 'allow' }]]);
  });

  it('sees what goes on above the prompt, whole lines at a time', async () => {
    const { attendant, line, type, seen } = makeStage();
    attendant.event(request('c1'));
    await seen(choice);
    type('ye');
    line.terminal.stderr.write('half a ');
    line.terminal.stderr.write('line\nand');
    const shown = await seen(`${choice}`);
    expect(shown).toContain('half a line\n');
    expect(shown).not.toContain('and');
    await seen('ye');
    type('s\r');
    await seen('and');
  });

  it('leaves with Ctrl-C, and is told what to type after Ctrl-D', async () => {
    const first = makeStage();
    first.attendant.event(request('c1'));
    await first.seen(choice);
    expect(first.line.terminal.interrupted.aborted).toBe(false);
    first.type('\u0003');
    await expect.poll(() => first.line.terminal.interrupted.aborted).toBe(true);

    const second = makeStage();
    second.attendant.event(request('c1'));
    await second.seen(choice);
    second.type('\u0004');
    await second.seen('everloop approve r c1 (or: everloop deny r c1)');
    second.attendant.event(request('c2'));
    await second.seen('everloop approve r c2');
    expect(second.line.terminal.interrupted.aborted).toBe(false);
  });

  it('is asked nothing more when the run has ended or the command is stopped', async () => {
    const { attendant, line, seen, stop, given } = makeStage();
    attendant.event(request('c1'));
    await seen(choice);
    attendant.event(request('c2'));
    attendant.end();
    stop();
    expect(line.terminal.interrupted.aborted).toBe(true);
    expect(given).toEqual([]);
  });

  it('is nobody where standard input or the notes go elsewhere', () => {
    const { stdin, stderr } = makeStage().terminal;
    expect(canAsk({ stdin, stderr })).toBe(true);
    expect(canAsk({ stdin, stderr: new PassThrough() })).toBe(false);
    expect(canAsk({ stdin: new PassThrough(), stderr })).toBe(false);
  });
});

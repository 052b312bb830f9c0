/** How a run is shown while it happens: every text once, whatever comes first. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../src/cli/run-view.ts';
import { createTextView } from '../../src/cli/run-view.ts';
import type { LiveEvent, RunEvent } from '../../src/loop/events.ts';

async function shown(play: (view: RunView) => void): Promise<{ stdout: string; stderr: string }> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const interrupted = new AbortController().signal;
  const view = createTextView({
    env: {},
    directory: '.',
    stdin: new PassThrough(),
    stdout,
    stderr,
    interrupted,
  });
  play(view);
  view.end();
  stdout.end();
  stderr.end();
  return { stdout: await text(stdout), stderr: await text(stderr) };
}

function delta(iteration: number, attempt: number, said: string): LiveEvent {
  return { type: 'text-delta', runId: 'r', iteration, attempt, seq: 0, data: { text: said } };
}

function message(iteration: number, role: 'user' | 'assistant', said: string): RunEvent {
  return {
    type: 'message',
    id: `${iteration}`,
    runId: 'r',
    iteration,
    at: 0,
    data: {
      index: 0,
      message: {
        id: 'm',
        createdAt: '2026-01-01T00:00:00.000Z',
        role,
        parts: [{ kind: 'text', text: said }],
      },
    },
  };
}

/** Any event of the first iteration. */
function other<Type extends RunEvent['type']>(
  type: Type,
  data: Extract<RunEvent, { type: Type }>['data'],
): RunEvent {
  return { type, id: '1', runId: 'r', iteration: 1, at: 0, data } as RunEvent;
}

function toolResult(isError: boolean, said: string): RunEvent {
  return {
    type: 'message',
    id: '1',
    runId: 'r',
    iteration: 1,
    at: 0,
    data: {
      index: 0,
      message: {
        id: 'm',
        createdAt: '2026-01-01T00:00:00.000Z',
        role: 'tool',
        parts: [
          {
            kind: 'tool_result',
            toolResult: {
              id: 'c',
              name: 'refund',
              output: { content: [{ kind: 'text', text: said }] },
              isError,
            },
          },
        ],
      },
    },
  };
}

describe('the text of a run', () => {
  it('is shown once when it was streamed before it was recorded', async () => {
    const { stdout } = await shown((view) => {
      view.live(delta(1, 1, 'one '));
      view.live(delta(1, 1, 'two'));
      view.event(message(1, 'assistant', 'one two'));
    });
    expect(stdout).toBe('one two\n');
  });

  it('is shown once when the next answer begins before it is recorded', async () => {
    const { stdout } = await shown((view) => {
      view.live(delta(1, 1, 'first'));
      view.live(delta(2, 1, 'second'));
      view.event(message(1, 'assistant', 'first'));
      view.event(message(2, 'assistant', 'second'));
    });
    expect(stdout).toBe('first\nsecond\n');
  });

  it('starts on a new line with each attempt, and says so', async () => {
    const { stdout, stderr } = await shown((view) => {
      view.live(delta(1, 1, 'wro'));
      view.live(delta(1, 2, 'right'));
      view.event(message(1, 'assistant', 'right'));
    });
    expect(stdout).toBe('wro\nright\n');
    expect(stderr).toContain('attempt 2');
  });

  it('is shown whole when nothing was streamed, and completed when part of it was', async () => {
    const { stdout } = await shown((view) => {
      view.event(message(1, 'assistant', 'all of it'));
      view.live(delta(2, 1, 'half'));
      view.event(message(2, 'assistant', 'half and half'));
    });
    expect(stdout).toBe('all of it\nhalf and half\n');
  });

  it('tells of a failed call the first line of what the model is told', async () => {
    const said = async (isError: boolean, text: string) =>
      (await shown((view) => view.event(toolResult(isError, text)))).stderr;
    expect(await said(true, 'No order 7.\nTry another.')).toBe('  refund: No order 7.\n');
    expect(await said(true, 'refund failed: declined')).toBe('  refund failed: declined\n');
    expect(await said(false, 'Paid back.')).toBe('');
  });

  it('leaves out the input, shows later messages of the user, and lets no text steer the terminal', async () => {
    const { stdout, stderr } = await shown((view) => {
      view.event(message(0, 'user', 'the input'));
      view.event(message(1, 'user', 'one more'));
      view.event(message(1, 'assistant', '\u001b[2Jcleared'));
    });
    expect(stdout).toBe('\ufffd[2Jcleared\n');
    expect(stderr).toBe('user: one more\n');
  });

  it('tells of what else is worth a line, and of an attempt that was lost only if nobody saw it', async () => {
    const { stdout, stderr } = await shown((view) => {
      view.event(other('model-start', { activityId: '1/model', model: 'one' }));
      view.event(other('attempt-lost', { activityId: '1/model', attempt: 1 }));
      const error = { type: 'model', message: 'It is\ndown.\u001b[2J' };
      view.event(other('model-end', { activityId: '1/model', status: 'failed', error }));
      view.event(other('model-start', { activityId: '1/model.2', model: 'two' }));
      view.live(delta(1, 1, 'wro'));
      view.live(delta(1, 2, 'right'));
      view.event(other('attempt-lost', { activityId: '1/model.2', attempt: 1 }));
      view.event(message(1, 'assistant', 'right'));
      view.event(other('tool-start', { callId: 'c1', name: 'pay' }));
      view.event(other('attempt-lost', { activityId: '1/c1', attempt: 2 }));
      view.event(other('message-refused', {}));
      view.event(other('continued', { generation: 3, temporalRunId: 't' }));
    });
    expect(stdout).toBe('wro\nright\n');
    expect(stderr).toBe(
      [
        '(attempt 1 of the model call was lost)',
        '✗ one: It is down.\ufffd[2J',
        '(now two is asked)',
        '(attempt 2: the answer starts again)',
        '→ pay',
        '(attempt 2 of pay was lost)',
        '✗ a message was refused: it was none that a run can take',
        '(goes on in part 3 of its history)',
        '',
      ].join('\n'),
    );
  });

  it('tells who decided what and why, who answered, who paused, and of sub-agents and forks', async () => {
    const call = { callId: 'c', name: 'pay' };
    const { stderr } = await shown((view) => {
      const input = '{ "cents":\n500 }';
      const deadline = Date.UTC(2026, 0, 2);
      view.event(other('approval-request', { ...call, input, question: 'So much?', deadline }));
      const decided = (data: Partial<Extract<RunEvent, { type: 'approval-decision' }>['data']>) =>
        view.event(other('approval-decision', { ...call, decision: 'allow', ...data }));
      decided({ by: 'ann' });
      decided({ decision: 'edit', input: { cents: 5 }, by: 'ann', reason: 'enough' });
      view.event(other('tool-start', call));
      decided({ decision: 'deny', reason: 'too\nmuch\u001b[2J' });
      decided({ decision: 'timeout' });
      decided({ decision: 'interrupted' });
      view.event(other('question', { ...call, name: 'ask', input: '{"question":"Why?"}' }));
      view.event(other('answer', { ...call, name: 'ask', status: 'answered', by: 'bob' }));
      view.event(other('answer', { ...call, name: 'ask', status: 'timeout' }));
      view.event(other('paused', { by: 'ann', reason: 'lunch' }));
      view.event(other('resumed', {}));
      const child = { callId: 'c', runId: 'sub' };
      view.event(other('child-start', { ...child, agent: 'boss/task' }));
      view.other?.({ ...other('question', { ...call, input: '' }), runId: 'sub' });
      view.other?.({ ...message(1, 'assistant', 'not told'), runId: 'sub' });
      view.event(other('child-end', { ...child, stopReason: 'completed' }));
      view.event(other('child-end', child));
      view.event(other('fork', { runs: ['f1', 'f2'], at: 4 }));
    });
    expect(stderr.split('\n')).toEqual([
      '? pay { "cents": 500 } waits for approval until 2026-01-02T00:00:00.000Z: So much?',
      '✓ pay: allowed by ann',
      '✓ pay {"cents":5}: allowed with this input by ann: enough',
      '→ pay {"cents":5}',
      '✗ pay: denied: too much\ufffd[2J',
      '✗ pay: nobody decided in time',
      '✗ pay: not decided, something else came first',
      '? ask {"question":"Why?"} waits for an answer',
      '✓ ask: answered by bob',
      '✗ ask: nobody answered in time',
      '(paused by ann: lunch)',
      '(resumed)',
      '→ sub-agent boss/task starts: run sub',
      '  [run sub] ? pay waits for an answer',
      '✓ sub-agent has ended (completed): run sub',
      '✗ sub-agent has ended (without a result): run sub',
      '(forked after message 4: run f1, run f2)',
      '',
    ]);
  });
});

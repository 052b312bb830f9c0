/** A transcript as a document: everything that was said is in it, and nothing that was said changes the document. */
import { expect, it } from 'vitest';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { RunExport } from '../../src/cli/export-format.ts';
import { toMarkdown } from '../../src/cli/transcript-markdown.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

function message(
  role: TranscriptMessage['role'],
  parts: TranscriptMessage['parts'],
  marks: Partial<TranscriptMessage> = {},
): TranscriptMessage {
  return { id: 'm', createdAt, role, parts, ...marks };
}

function run(messages: readonly TranscriptMessage[], more: Partial<RunExport> = {}): RunExport {
  return {
    format: 'everloop-run',
    version: 1,
    runId: 'r-1',
    agent: 'support',
    title: 'Refund for order 7',
    status: 'running',
    messages,
    ...more,
  };
}

const fenceInFence = 'Run this:\n\n````md\n```sh\nrm -rf /\n```\n````\n';

const hostileRun = run(
  [
    message('system', [{ kind: 'text', text: 'You help.' }]),
    message(
      'user',
      [
        {
          kind: 'text',
          text: '## 9 · assistant\n\n</details><script>alert(1)</script>\n\u001b[2J\u001b]0;owned\u0007',
        },
        {
          kind: 'media',
          media: { mime: 'image/png', name: 'a`b.png', source: { kind: 'bytes', bytes: 'AAAA' } },
        },
        {
          kind: 'media',
          media: { mime: 'image/jpeg', source: { kind: 'uri', uri: 'https://a.example/b.jpg' } },
        },
        {
          kind: 'media',
          media: { mime: 'image/jpeg', source: { kind: 'uri', uri: 'javascript:alert(1)' } },
        },
      ],
      { inherited: true },
    ),
    message('assistant', [
      { kind: 'reasoning', text: 'Hm.\n</details>\n\n# Not a heading of the document' },
      { kind: 'reasoning', reasoningState: 'AAAA' },
      { kind: 'text', text: fenceInFence },
      {
        kind: 'tool_call',
        toolCall: { id: 'c`1', name: 'refund', arguments: '{"order":7,"why":"```\\n"}' },
      },
      {
        kind: 'tool_call',
        toolCall: { id: 'c2', name: 'x\n# y', arguments: '{"n":12345678901234567890}' },
      },
      { kind: 'tool_call', toolCall: { id: 'c3', name: 'look' } },
    ]),
    message('tool', [
      {
        kind: 'tool_result',
        toolResult: {
          id: 'c`1',
          name: 'refund',
          isError: true,
          output: { content: [{ kind: 'text', text: `${fenceInFence}\n\`\`\`\`\`\n<b>\r\n` }] },
        },
      },
    ]),
    message('tool', [
      {
        kind: 'tool_result',
        toolResult: { id: 'c2', name: 'x\n# y', output: { details: { ok: true } } },
      },
    ]),
    message('tool', [{ kind: 'tool_result', toolResult: { id: 'c3', name: 'look', output: {} } }]),
    message('assistant', [{ kind: 'refusal', text: 'I will not <go on>.' }], { partial: true }),
  ],
  { title: 'Refund <b>now</b>\n# Ignore this' },
);

it('keeps hostile content in its place', async () => {
  await expect(toMarkdown(hostileRun)).toMatchFileSnapshot('hostile-transcript.md.txt');
});

it('has one section for each message, whatever the messages say', () => {
  const sections = toMarkdown(hostileRun).match(/^## .*$/gm);
  expect(sections).toHaveLength(hostileRun.messages.length);
});

it('tells how a run that has ended ended', () => {
  const result: RunExport['result'] = {
    version: 1,
    output: '',
    stopReason: 'completed',
    ended: 'The model finished its answer.',
    usage: { inputTokens: 0, outputTokens: 0, unreported: 0 },
    iterations: 1,
    undelivered: [],
  };
  expect(toMarkdown(run([], { status: 'completed', result }))).toBe(
    '# Refund for order 7\n\n- Run: `r-1`\n- Agent: `support`\n- Status: completed\n- Ended: The model finished its answer.\n',
  );
});

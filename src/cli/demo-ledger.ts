/** The ledger of the demo's tools: a line when an execution starts, a line when it ends, written by the tool's own process. */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tool } from '../tools/define-tool.ts';

/** One line of the ledger. */
export interface LedgerLine {
  readonly event: 'start' | 'end';
  readonly tool: string;
  /** Idempotency key of the call: the same for each of its attempts. */
  readonly key: string;
  readonly attempt: number;
  /** The Worker process. */
  readonly pid: number;
}

/** Longer than any kill takes: the pause exists to be cut off. */
const pauseMs = 20_000;

/** The tool, keeping the ledger. The very first call of the tools in `pauseAt` waits between its two lines. */
export function withLedger(tool: Tool, ledger: string, pauseAt: readonly string[]): Tool {
  return {
    ...tool,
    async run(input, context) {
      const waits = pauseAt.includes(tool.name) && !(await hasPaused(ledger, pauseAt));
      const { idempotencyKey: key, attempt, signal } = context;
      const write = (event: LedgerLine['event']) => {
        const line: LedgerLine = { event, tool: tool.name, key, attempt, pid: process.pid };
        // Synchronous: what comes after this line must not overtake it.
        appendFileSync(ledger, `${JSON.stringify(line)}\n`);
      };
      write('start');
      try {
        if (waits) await delay(pauseMs, undefined, { signal });
        return await tool.run(input, context);
      } finally {
        // A failure is an answer, too; only what was broken off has none.
        if (!signal.aborted) write('end');
      }
    },
  };
}

async function hasPaused(ledger: string, pauseAt: readonly string[]): Promise<boolean> {
  return (await readLedger(ledger)).some(({ tool }) => pauseAt.includes(tool));
}

/** The whole lines of the ledger; none when nothing was written yet. */
export async function readLedger(ledger: string): Promise<readonly LedgerLine[]> {
  return (await readJsonLines(ledger)) as readonly LedgerLine[];
}

/** The values of a file with one JSON value per line; a last line without its end is left for later. */
export async function readJsonLines(file: string): Promise<readonly unknown[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

/** Says what taking a run back leaves behind, asks, and does it: what `rewind` and `retry` share. */
import type { RewindPlan } from '../client/rewind-plan.ts';
import type { RunHandle } from '../client/run-handle.ts';
import { withEffect } from '../history/discarded-work.ts';
import { confirm } from './confirm.ts';
import { counted } from './format.ts';
import { formatCall } from './format-transcript.ts';
import type { Cli } from './program.ts';
import type { Terminal } from './terminal.ts';
import { printable, writeJson, writeLine, writeNote } from './terminal.ts';

/** What both commands take. */
export interface TakeBackOptions {
  readonly edit?: string;
  readonly input?: string;
  readonly tellModel?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The same, as the client takes it. */
export function toTerms({ edit, input, tellModel, force }: TakeBackOptions) {
  return {
    ...(edit !== undefined && { edit }),
    ...(input !== undefined && { input }),
    ...(tellModel === true && { tellModel }),
    ...(force === true && { force }),
  };
}

/** Calls that are named before the rest is counted. */
const namedCalls = 20;
/** Longest line of a call. */
const callLength = 100;

/** `plan` does nothing yet; `carryOut` does it, and says what it came to. */
export interface TakingBack {
  plan(run: RunHandle): Promise<RewindPlan>;
  carryOut(run: RunHandle): Promise<RewindPlan>;
}

export async function takeBack(
  cli: Cli,
  id: string,
  { yes = false, json = false }: TakeBackOptions,
  { plan, carryOut }: TakingBack,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  const done = await withRuns(config, engine, async ({ everloop }) => {
    const run = everloop.run(id);
    const planned = await plan(run);
    writePlan(terminal, planned);
    const where = planned.to.iteration;
    const question = `Take run ${id} back to the end of iteration ${where}?`;
    return (await confirm(terminal, question, yes)) ? await carryOut(run) : undefined;
  });
  if (done === undefined) {
    writeNote(terminal, `Run ${id} stays as it is.`);
    cli.exitWith(1);
  }
  if (json) writeJson(terminal, { id, done: done !== undefined, ...done });
  else if (done !== undefined) {
    writeLine(terminal, `run ${id} goes on after iteration ${done.to.iteration}`);
    writeNote(terminal, `Follow it with: everloop watch ${id}`);
    writeNote(terminal, `Read what was left behind with: everloop show ${id} --discarded`);
  }
}

function writePlan(terminal: Terminal, { to, moved, discarded, children }: RewindPlan): void {
  const { iterations, messages, calls, received } = discarded;
  if (moved !== undefined) {
    writeNote(
      terminal,
      `Message ${moved.from} stands among the calls of a response and their results: the last that is kept is ${moved.to}.`,
    );
  }
  writeNote(
    terminal,
    `Kept: ${counted(to.messages, 'message')}. Left behind: ${counted(iterations, 'iteration')}, ${counted(messages, 'message')}, ${counted(calls.length, 'tool call')}.`,
  );
  if (received > 0) {
    writeNote(
      terminal,
      `${counted(received, 'message')} of users came since, and count as unsent.`,
    );
  }
  const effects = withEffect(calls);
  if (effects.length > 0) writeNote(terminal, 'Done already, and not taken back:');
  for (const call of effects.slice(0, namedCalls)) {
    const { name, arguments: input, effect, outcome } = call;
    const how =
      outcome === 'finished' ? '' : `, ${outcome === 'error' ? 'failed' : 'outcome unknown'}`;
    writeNote(terminal, `  ${formatCall(name, input, callLength)} (effect: ${effect}${how})`);
  }
  if (effects.length > namedCalls) writeNote(terminal, `  and ${effects.length - namedCalls} more`);
  if (children.length > 0) {
    writeNote(terminal, printable(`Sub-agents that end with it: ${children.join(', ')}`));
  }
}

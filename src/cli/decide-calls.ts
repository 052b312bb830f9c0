/** Decides on calls that wait for approval: what `approve` and `deny` share. */
import { EverloopError } from '../everloop-error.ts';
import type { DecideInput } from '../loop/control.ts';
import type { OpenRun } from './open-run.ts';
import { tellRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { printable, writeJson, writeLine, writeNote } from './terminal.ts';
import type { WaitingCall } from './waiting-calls.ts';
import { chosenCalls, waitingCallLine, waitingCalls } from './waiting-calls.ts';
import { whoDecides } from './who-decides.ts';

/** Which calls are meant, and how it is told. */
export interface DecideOptions {
  readonly all?: boolean;
  readonly by?: string;
  readonly json?: boolean;
}

const words = { allow: 'allowed', deny: 'denied', edit: 'allowed with another input' };

/**
 * Gives all calls that are meant the same decision, one after the other, and says so.
 * @throws EverloopError `invalid_input` when it is not clear which are meant; `rejected` for one that does not wait
 */
export async function decideCalls(
  cli: Cli,
  id: string,
  ids: readonly string[],
  decision: Omit<DecideInput, 'callId' | 'by'>,
  { all = false, by, json = false }: DecideOptions,
): Promise<void> {
  const { terminal } = cli;
  if (all && ids.length > 0) {
    throw new EverloopError('invalid_input', 'both calls and --all are given', {
      hint: 'leave one of them out',
    });
  }
  const what = decision.decision === 'deny' ? 'deny' : 'approve';
  const who = whoDecides(terminal, by);
  const decided = await tellRun(await cli.config(), id, what, async (open) => {
    const calls = chosenCalls(open.snapshot, ids, all);
    if (decision.decision === 'edit' && calls.length > 1) {
      throw new EverloopError('invalid_input', '--input goes with one call', {
        hint: 'name that call alone',
      });
    }
    return await decideAll(open, calls, { ...decision, ...who }, (line) =>
      writeNote(terminal, line),
    );
  });
  const calls = decided.map(({ call }) => call.id);
  if (json) writeJson(terminal, { id, decision: decision.decision, calls, ...who });
  else {
    for (const call of decided)
      writeLine(terminal, `${words[decision.decision]}: ${waitingCallLine(call)}`);
  }
}

/** Calls that somebody else decides on meanwhile are left out; one that was named alone is an error then. */
async function decideAll(
  { run }: OpenRun,
  calls: readonly WaitingCall[],
  decision: Omit<DecideInput, 'callId'>,
  note: (line: string) => void,
): Promise<readonly WaitingCall[]> {
  const decided: WaitingCall[] = [];
  const remembered = new Set<string>();
  for (const waiting of calls) {
    const { id, name } = waiting.call;
    // A decision that is remembered lets all calls of the tool go at once.
    if (!remembered.has(name)) {
      try {
        await run.decide(id, decision);
      } catch (error) {
        const isLate = error instanceof EverloopError && error.code === 'rejected';
        if (!isLate || calls.length === 1 || (await stillWaits(run, id))) throw error;
        note(printable(`${waitingCallLine(waiting)}: ${error.message}`));
        continue;
      }
    }
    if (decision.remember === true) remembered.add(name);
    decided.push(waiting);
  }
  return decided;
}

async function stillWaits(run: OpenRun['run'], id: string): Promise<boolean> {
  return waitingCalls(await run.snapshot(), 'approval').some(({ call }) => call.id === id);
}

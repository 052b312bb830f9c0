/** Sees to the calls of a run and its sub-agents that wait for somebody. */
import { commandsFor } from '../client/commands-for.ts';
import type { DecideInput } from '../loop/control.ts';
import type { RunEvent } from '../loop/events.ts';
import type { Terminal } from './terminal.ts';
import { printable, writeNote } from './terminal.ts';

/** Who sees to them: a person at the prompt, or whoever reads what is printed. */
export interface Attendant {
  /** Told every durable event of every run of the tree, those of one run in order. */
  event(event: RunEvent): void;
  /** Nothing is to be asked any more. */
  end(): void;
}

/** Gives to a run what a person has said. */
export interface Desk {
  decide(runId: string, callId: string, decision: Omit<DecideInput, 'callId'>): Promise<void>;
  answer(runId: string, callId: string, text: string): Promise<void>;
}

/** Where nobody can be asked: says what to type, and leaves the run to wait. */
export function createAdvice(terminal: Terminal): Attendant {
  return {
    event(event) {
      if (event.type !== 'approval-request' && event.type !== 'question') return;
      const kind = event.type === 'question' ? 'answer' : 'approval';
      writeNote(terminal, printable(`  ${commandsFor(event.runId, event.data.callId, kind)}`));
    },
    end() {},
  };
}

/** What a call that waits for an answer asks, as a person reads it. */
import { callText } from './waiting-calls.ts';

/** The lines of a question, and the answers that it offers. */
export interface ReadQuestion {
  readonly lines: readonly string[];
  readonly choices: readonly string[];
}

/** The question of `ask_user` with its choices numbered; of any other tool its name and input. */
export function readQuestion(name: string, input: string): ReadQuestion {
  const { question, choices } = membersOf(input);
  if (typeof question !== 'string') return { lines: [callText(name, input)], choices: [] };
  const offered = Array.isArray(choices)
    ? choices.filter((choice): choice is string => typeof choice === 'string')
    : [];
  return {
    lines: [question, ...offered.map((choice, index) => `  ${index + 1}) ${choice}`)],
    choices: offered,
  };
}

function membersOf(input: string): { readonly question?: unknown; readonly choices?: unknown } {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

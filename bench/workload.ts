/** The work that both sides are given: one model and one tool with fixed answers, and a note of when the model was called. */
import { z } from 'zod';
import type { LanguageModel } from '../src/chat/language-model.ts';
import { scriptedModel } from '../src/models/scripted.ts';
import type { Tool } from '../src/tools/define-tool.ts';
import { defineTool } from '../src/tools/define-tool.ts';

/** An agent's work, measured. */
export interface Workload {
  readonly model: LanguageModel;
  readonly tool: Tool;
  readonly instructions: string;
  /** What the user says. */
  readonly input: string;
  /** Forgets the model calls so far and returns those that come, as `performance.now()`. */
  watch(): readonly number[];
}

const sentence = 'The quick brown fox jumps over the lazy dog and goes on to the next field. ';

/** Text of exactly that many bytes. */
export function textOfBytes(bytes: number): string {
  return sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes);
}

/**
 * A model that answers at once with a text of `messageBytes` and one call of a tool whose result is as
 * long; it never stops by itself, so a run has exactly as many iterations as it is allowed.
 */
export function createWorkload(messageBytes = 1024): Workload {
  let calls: number[] = [];
  const text = textOfBytes(messageBytes);
  const tool = defineTool({
    name: 'lookup',
    description: 'Looks a thing up.',
    input: z.object({ query: z.string() }),
    effect: 'none',
    execute: () => text,
  });
  const model = scriptedModel(
    () => {
      calls.push(performance.now());
      return { text, calls: [{ name: tool.name, input: { query: 'the next field' } }] };
    },
    // Long answers come in larger pieces: a stream is not what is measured.
    { name: `bench-${messageBytes}`, chunkSize: Math.ceil(messageBytes / 40) },
  );
  return {
    model,
    tool,
    instructions: 'Look things up until you are told to stop.',
    input: 'Look up everything about foxes.',
    watch() {
      calls = [];
      return calls;
    },
  };
}

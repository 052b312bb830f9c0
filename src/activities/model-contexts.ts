/** The model contexts of the runs that this process hosts: agent and messages, kept so that a call's input can name messages instead of carrying them. A copy: history is the truth. */
import { LRUCache } from 'lru-cache';
import { callsOf } from '../chat/calls-of.ts';
import type { Message } from '../chat/message.ts';
import { validMessage } from '../chat/request.ts';
import { toMessage } from '../chat/to-message.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { Compaction } from '../loop/compaction.ts';
import { chainDigest, firstDigest } from '../loop/digest.ts';
import type { Transcript } from '../loop/loop-state.ts';

/** What a request is built from. `digest` chains the agent's hash and all message ids. */
export interface ModelContext {
  readonly agent: AgentSpec;
  readonly messages: readonly Message[];
  /** The same messages as the transcript has them. */
  readonly transcript: readonly TranscriptMessage[];
  readonly digest: string;
  /** What is sent in place of the first messages. */
  readonly compaction?: Compaction;
  /** Ids of all tool calls so far: new calls get others. */
  readonly callIds: ReadonlySet<string>;
}

/** Bytes of messages kept in all, before the run used longest ago is forgotten. */
const defaultMaxBytes = 256 * 1024 * 1024;

class GrowingContext implements ModelContext {
  readonly agent: AgentSpec;
  readonly messages: Message[] = [];
  readonly transcript: TranscriptMessage[] = [];
  readonly callIds = new Set<string>();
  compaction?: Compaction;
  digest: string;
  bytes = 0;

  constructor(agent: AgentSpec) {
    this.agent = agent;
    this.digest = chainDigest('', agent.hash);
  }

  append(message: TranscriptMessage): void {
    this.messages.push(validMessage(toMessage(message)));
    this.transcript.push(message);
    this.digest = chainDigest(this.digest, message.id);
    for (const call of callsOf(message)) this.callIds.add(call.id);
    this.bytes += JSON.stringify(message).length * 2; // strings take two bytes a unit at most
  }
}

/** Cache of model contexts, by Temporal run id. */
export class ModelContexts {
  readonly #cache: LRUCache<string, GrowingContext>;
  /** Lookups answered from here, and those that had to rebuild from history. */
  readonly counts = { hits: 0, misses: 0 };

  constructor(maxBytes = defaultMaxBytes) {
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: (entry) => entry.bytes + 1 });
  }

  begin(temporalRunId: string, agent: AgentSpec): void {
    this.#cache.set(temporalRunId, new GrowingContext(agent));
  }

  /**
   * Takes over the context of the Temporal run that went before, if this process holds it and it has exactly
   * the `count` messages that were sealed. Called again on a replay, when what is there is right already.
   */
  goOn(
    temporalRunId: string,
    agent: AgentSpec,
    previous: { readonly temporalRunId: string; readonly count: number },
  ): void {
    if (this.#cache.has(temporalRunId)) return;
    const context = this.#cache.get(previous.temporalRunId);
    if (context?.agent.hash !== agent.hash || context.messages.length !== previous.count) return;
    this.#cache.delete(previous.temporalRunId);
    this.#cache.set(temporalRunId, context);
  }

  /** Adds message `index`. A gap or an unknown run is ignored: the next lookup misses and rebuilds. */
  append(temporalRunId: string, index: number, message: TranscriptMessage): void {
    const context = this.#cache.get(temporalRunId);
    if (context === undefined || context.messages.length !== index) return;
    context.append(message);
    this.#cache.set(temporalRunId, context); // counts its new size
  }

  /** Notes what is sent in place of the first messages from now on. */
  compact(temporalRunId: string, compaction: Compaction): void {
    const context = this.#cache.get(temporalRunId);
    if (context !== undefined) context.compaction = compaction;
  }

  end(temporalRunId: string): void {
    this.#cache.delete(temporalRunId);
  }

  /** The context with exactly `count` messages and that digest; anything else is a miss, never a prompt. */
  lookup(temporalRunId: string, count: number, digest: string): ModelContext | undefined {
    const context = this.#cache.get(temporalRunId);
    if (context?.messages.length === count && context.digest === digest) {
      this.counts.hits += 1;
      return context;
    }
    this.counts.misses += 1;
    return undefined;
  }

  /** Takes in a context rebuilt from history; `seed` as the transcript has it, `compaction` as the state has it. */
  restore(
    temporalRunId: string,
    agent: AgentSpec,
    messages: readonly TranscriptMessage[],
    seed?: Transcript['seed'],
    compaction?: Compaction,
  ): ModelContext {
    const context = new GrowingContext(agent);
    if (compaction !== undefined) context.compaction = compaction;
    for (const message of messages) {
      context.append(message);
      if (context.messages.length === seed?.count) context.digest = firstDigest(agent.hash, seed);
    }
    this.#cache.set(temporalRunId, context);
    return context;
  }
}

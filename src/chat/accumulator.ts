/** Turns deltas into a response: the only way from a stream to something that counts as an answer. */
import { concatBase64 } from './base64.ts';
import { ChatError } from './chat-error.ts';
import type { FinishReason } from './finish-reason.ts';
import { mergeMetadata, sameMetadata } from './merge-metadata.ts';
import { Message } from './message.ts';
import type { Metadata } from './metadata.ts';
import type { OutputMetadata } from './output.ts';
import type { Part, ReasoningPart, RefusalPart, ToolCallPart } from './part.ts';
import type { PartDelta } from './part-delta.ts';
import type { ResponseMetadata } from './response.ts';
import { Response } from './response.ts';
import { ResponseDelta } from './response-delta.ts';
import { textOf } from './text-of.ts';
import type { TextPart } from './text-part.ts';
import { validate } from './validate.ts';

type WordPart = TextPart | ReasoningPart | RefusalPart;
type WordDelta = Extract<PartDelta, { kind: WordPart['kind'] }>;

/**
 * Collects the deltas of one response.
 *
 * A delta is checked, then compared with all that came before, then merged: a refused one changes
 * nothing. One accumulator serves one attempt.
 */
export interface Accumulator {
  /** Merges a delta. @throws ChatError `invalid_response`; the state is then as before. */
  add(delta: ResponseDelta): void;
  /** The visible text so far. */
  text(): string;
  /** The message so far, as an independent copy; absent while nothing was said. */
  message(): Message | undefined;
  /** What the provider said about the response so far, as an independent copy. */
  metadata(): ResponseMetadata | undefined;
  /** The finish reason, once there is one: no delta is accepted after it. */
  finishReason(): FinishReason | undefined;
  /** The whole response, as an independent copy. @throws ChatError `invalid_response` before the end. */
  response(): Response;
  /** The state as JSON data, to compare and to look at. */
  toJSON(): unknown;
}

/** An accumulator that has seen nothing. */
export function createAccumulator(): Accumulator {
  return new DeltaAccumulator();
}

class DeltaAccumulator implements Accumulator {
  readonly #parts: Part[] = [];
  readonly #calls = new Map<string, ToolCallPart>();
  #block: number | undefined;
  #messageMetadata: Metadata | undefined;
  #finishReason: FinishReason | undefined;
  #outputMetadata: OutputMetadata | undefined;
  #metadata: ResponseMetadata | undefined;

  add(delta: ResponseDelta): void {
    const checked = validate(ResponseDelta, delta);
    this.#preflight(checked);
    for (const part of checked.parts ?? []) this.#merge(part);
    this.#messageMetadata = mergeMetadata(this.#messageMetadata, checked.messageMetadata);
    this.#finishReason = checked.finishReason;
    if (checked.outputMetadata !== undefined) {
      this.#outputMetadata = withExtra(this.#outputMetadata, checked.outputMetadata);
    }
    if (checked.metadata !== undefined) {
      this.#metadata = mergeResponseMetadata(this.#metadata, checked.metadata);
    }
  }

  text(): string {
    return textOf({ parts: this.#parts, role: 'assistant' });
  }

  message(): Message | undefined {
    return this.#parts.length === 0 ? undefined : validate(Message, this.#draft());
  }

  metadata(): ResponseMetadata | undefined {
    return this.#metadata === undefined ? undefined : structuredClone(this.#metadata);
  }

  finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  response(): Response {
    if (this.#finishReason === undefined) {
      throw new ChatError('invalid_response', 'output.finishReason', 'the response has not ended');
    }
    const isSilent = this.#parts.length === 0 && isEmpty(this.#messageMetadata);
    return validate(Response, {
      output: {
        ...(isSilent ? {} : { message: this.#draft() }),
        finishReason: this.#finishReason,
        ...(this.#outputMetadata === undefined ? {} : { metadata: this.#outputMetadata }),
      },
      ...(this.#metadata === undefined ? {} : { metadata: this.#metadata }),
    });
  }

  toJSON(): unknown {
    return structuredClone({
      parts: this.#parts,
      block: this.#block,
      messageMetadata: this.#messageMetadata,
      finishReason: this.#finishReason,
      outputMetadata: this.#outputMetadata,
      metadata: this.#metadata,
    });
  }

  #draft(): Message {
    const message: Message = { role: 'assistant', parts: this.#parts };
    return isEmpty(this.#messageMetadata)
      ? message
      : { ...message, metadata: this.#messageMetadata };
  }

  /** Every condition that depends on earlier deltas, tried on a simulated state before anything merges. */
  #preflight(delta: ResponseDelta): void {
    if (this.#finishReason !== undefined) {
      throw new ChatError('invalid_response', '', 'a delta came after the finish reason');
    }
    let last: string | undefined = this.#parts.at(-1)?.kind;
    const names = new Map<string, string>();
    for (const [index, part] of (delta.parts ?? []).entries()) {
      if (part.kind === 'citation') {
        if (last === 'text') continue;
        throw new ChatError(
          'invalid_response',
          `parts[${index}]`,
          'a citation must follow its text',
        );
      }
      if (part.kind !== 'tool_call') {
        last = part.kind;
        continue;
      }
      const { id, name } = part.toolCall;
      const known = names.get(id) ?? this.#calls.get(id)?.toolCall.name;
      if (known === undefined) last = part.kind;
      else if (known !== name) {
        const problem = `call ${JSON.stringify(id)} was named ${JSON.stringify(known)} before`;
        throw new ChatError('invalid_response', `parts[${index}].toolCall.name`, problem, [
          'invalid_tool_call',
        ]);
      }
      names.set(id, name);
    }
  }

  #merge(delta: PartDelta): void {
    switch (delta.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        this.#mergeWords(delta);
        return;
      case 'media':
        this.#append(delta);
        return;
      case 'tool_call':
        this.#mergeCall(delta);
        return;
      case 'citation': {
        const last = this.#parts.at(-1);
        if (last?.kind === 'text') last.citations = [...(last.citations ?? []), delta.citation];
        return;
      }
    }
  }

  #mergeWords({ block, ...delta }: WordDelta): void {
    const last = this.#parts.at(-1);
    const isSamePart =
      last?.kind === delta.kind &&
      this.#block === block &&
      sameMetadata(last.metadata, delta.metadata);
    if (!isSamePart) {
      // A state that comes with an empty text is a part without text, however it was chunked.
      if (delta.text === '') delete delta.text;
      this.#append(delta, block);
      return;
    }
    if ((delta.text ?? '') !== '') last.text = (last.text ?? '') + delta.text;
    if (delta.kind !== 'reasoning' || last.kind !== 'reasoning') return;
    if (delta.reasoningState === undefined) return;
    last.reasoningState = concatBase64(last.reasoningState ?? '', delta.reasoningState);
  }

  #mergeCall(delta: ToolCallPart): void {
    const known = this.#calls.get(delta.toolCall.id);
    if (known === undefined) {
      this.#append(delta);
      this.#calls.set(delta.toolCall.id, delta);
      return;
    }
    const more = delta.toolCall.arguments;
    if (more !== undefined) known.toolCall.arguments = (known.toolCall.arguments ?? '') + more;
    const metadata = mergeMetadata(known.metadata, delta.metadata);
    if (metadata !== undefined) known.metadata = metadata;
  }

  #append(part: Part, block?: number): void {
    this.#parts.push(part);
    this.#block = block;
  }
}

function withExtra<Notes extends { extra?: Metadata | undefined }>(
  older: Notes | undefined,
  newer: Notes,
): Notes {
  const extra = mergeMetadata(older?.extra, newer.extra);
  return extra === undefined ? { ...older, ...newer } : { ...older, ...newer, extra };
}

/** Newest wins, except that an empty id or model says nothing; usage is replaced whole, never summed. */
function mergeResponseMetadata(
  older: ResponseMetadata | undefined,
  newer: ResponseMetadata,
): ResponseMetadata {
  const said = Object.entries(newer).filter(([, value]) => value !== undefined && value !== '');
  return withExtra<ResponseMetadata>(older, Object.fromEntries(said));
}

function isEmpty(metadata: Metadata | undefined): boolean {
  return metadata === undefined || Object.keys(metadata).length === 0;
}

/** A whole response in the form of a stream. */
import type { Part } from './part.ts';
import type { PartDelta } from './part-delta.ts';
import type { Response } from './response.ts';
import type { ResponseDelta } from './response-delta.ts';

/** One delta that says all of a response; accumulated it gives the same response. */
export function toDelta(response: Response): ResponseDelta {
  const { message, finishReason, metadata: outputMetadata } = response.output;
  return {
    ...(message === undefined ? {} : { parts: message.parts.flatMap(toPartDeltas) }),
    ...(message?.metadata === undefined ? {} : { messageMetadata: message.metadata }),
    finishReason,
    ...(outputMetadata === undefined ? {} : { outputMetadata }),
    ...(response.metadata === undefined ? {} : { metadata: response.metadata }),
  };
}

/** The index of a part is its block, so that equal neighbours stay two parts. */
function toPartDeltas(part: Part, index: number): PartDelta[] {
  switch (part.kind) {
    case 'text': {
      const { citations = [], ...text } = part;
      const cited = citations.map((citation): PartDelta => ({ kind: 'citation', citation }));
      return [{ ...text, block: index }, ...cited];
    }
    case 'reasoning':
    case 'refusal':
      return [{ ...part, block: index }];
    case 'media':
    case 'tool_call':
      return [part];
    case 'tool_result':
      throw new TypeError('a response holds no tool results');
  }
}

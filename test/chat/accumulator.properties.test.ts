/** What holds for an accumulator whatever deltas come. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccumulator } from '../../src/chat/accumulator.ts';
import { isChatError } from '../../src/chat/chat-error.ts';
import { reasoningDelta, textDelta, toolCallDelta } from '../../src/chat/create-delta.ts';
import type { Part } from '../../src/chat/part.ts';
import type { PartDelta } from '../../src/chat/part-delta.ts';
import type { Response } from '../../src/chat/response.ts';
import type { ResponseDelta } from '../../src/chat/response-delta.ts';
import { toDelta } from '../../src/chat/to-delta.ts';
import { json, metadata, partDelta, someText, text } from './arbitraries.ts';

const citation = { source: { kind: 'reference' as const, value: 'doc' } };

function accumulated(...deltas: readonly ResponseDelta[]): Response {
  const accumulator = createAccumulator();
  for (const delta of deltas) accumulator.add(delta);
  return accumulator.response();
}

function partsOf(...parts: readonly PartDelta[]) {
  return accumulated(...parts.map((part) => ({ parts: [part] })), { finishReason: 'stop' }).output
    .message?.parts;
}

describe('accumulating, whatever comes', () => {
  it('leaves the state as it was after a delta that is refused', () => {
    const deltas = fc.array(
      fc.record({
        parts: fc.array(partDelta, { maxLength: 4 }),
        messageMetadata: fc.option(metadata, { nil: undefined }),
        finishReason: fc.option(fc.constant('stop' as const), { nil: undefined, freq: 8 }),
      }),
      { maxLength: 8 },
    );
    let refusals = 0;
    fc.assert(
      fc.property(deltas, (all) => {
        const accumulator = createAccumulator();
        for (const delta of all) {
          const before = accumulator.toJSON();
          try {
            accumulator.add(delta);
          } catch (error) {
            if (!isChatError(error)) throw error;
            refusals += 1;
            expect(accumulator.toJSON()).toEqual(before);
          }
        }
      }),
    );
    expect(refusals).toBeGreaterThan(0);
  });

  it('gives the same response however texts and arguments are cut', () => {
    const cuts = fc.array(fc.nat(5), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(
        someText,
        someText,
        text,
        fc.uint8Array({ minLength: 1 }),
        cuts,
        (said, thought, args, bytes, sizes) => {
          const state = (part: Uint8Array) => Buffer.from(part).toString('base64');
          const call = (more: string) => toolCallDelta({ id: 'a', name: 'f', arguments: more });
          const whole = [
            reasoningDelta({ text: thought }),
            reasoningDelta({ reasoningState: state(bytes) }),
            textDelta(said),
            call(args),
          ];
          const cut = [
            ...pieces([...thought], sizes).map((piece) => reasoningDelta({ text: piece.join('') })),
            ...pieces([...bytes], sizes).map((piece) =>
              reasoningDelta({ reasoningState: state(Uint8Array.from(piece)) }),
            ),
            ...pieces([...said], sizes).map((piece) => textDelta(piece.join(''))),
            call(''),
            ...pieces([...args], sizes).map((piece) => call(piece.join(''))),
          ];
          expect(partsOf(...cut)).toEqual(partsOf(...whole));
        },
      ),
    );
  });

  it('gives the response back that was turned into a delta', () => {
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.constant('a'), metadata }),
      fc.constant<Part>({ kind: 'text', text: 'a', citations: [citation, citation] }),
      fc.constant({ kind: 'reasoning' as const, reasoningState: 'AA==' }),
      fc.constant({ kind: 'refusal' as const, text: 'no' }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), json, (parts, value) => {
        const response: Response = {
          output: {
            message: { role: 'assistant', parts, metadata: { 'x/m': value } },
            finishReason: 'length',
            metadata: {},
          },
          metadata: { id: 'r' },
        };
        expect(accumulated(toDelta(response))).toEqual(response);
      }),
    );
  });
});

/** Consecutive pieces of the given sizes, round and round; an empty piece is left out. */
function pieces<T>(items: readonly T[], sizes: readonly number[]): T[][] {
  const result: T[][] = [];
  let at = 0;
  for (let turn = 0; at < items.length; turn += 1) {
    const size = (sizes[turn % sizes.length] ?? 0) + 1;
    result.push(items.slice(at, at + size));
    at += size;
  }
  return result;
}

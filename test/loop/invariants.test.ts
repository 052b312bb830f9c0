import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { addUsage, noUsage } from '../../src/chat/usage-total.ts';
import { boundaries } from '../../src/history/state-at.ts';
import { chainDigest } from '../../src/loop/digest.ts';
import { toRunResult } from '../../src/loop/to-run-result.ts';
import { controlledPlans } from './controlled-plans.ts';
import { plans as plainPlans } from './plans.ts';
import { simulate } from './simulate.ts';

/** Runs per property: thousands, in a few seconds. */
const numRuns = 3_000;

/** Half of the runs are left alone, half are controlled by people. */
const plans = fc.oneof(plainPlans, controlledPlans);

describe('the loop, over random runs', () => {
  it('leaves a transcript that every provider accepts after each tools node and at the end', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { afterTools, final, messages } = simulate(plan);
        for (const { transcript } of [...afterTools, final]) {
          const whole = messages.slice(0, transcript.count);
          expect(checkSequencing(whole.map(toMessage))).toEqual([]);
        }
      }),
      { numRuns },
    );
  });

  it('gives the state after every iteration again from what history records', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { boundaries: seen, histories } = simulate(plan);
        expect(histories.flatMap((events) => boundaries({ runId: 'run', events }))).toEqual(seen);
      }),
      { numRuns },
    );
  });

  it('counts as usage the sum over its model calls', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { final, usages } = simulate(plan);
        expect(final.usage).toEqual(usages.reduce(addUsage, noUsage));
        const { children = [] } = final;
        const total = children.reduce((sum, child) => addUsage(sum, child.usage), final.usage);
        expect(toRunResult(final).usage).toEqual(total);
        expect(final.modelCalls).toBe(usages.length);
      }),
      { numRuns },
    );
  });

  it('appends every user message once and in order, or names it as undelivered', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { final, accepted, messages } = simulate(plan);
        const delivered = messages.flatMap((message) => {
          const [, id] = message.id.split(/received\/\d+\//);
          return id === undefined ? [] : [id];
        });
        expect([...delivered, ...toRunResult(final).undelivered]).toEqual(accepted);
      }),
      { numRuns },
    );
  });

  it('never gives a message id twice, keeps count and digest, and holds valid messages only', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { final, messages } = simulate(plan);
        const { count, digest } = final.transcript;
        const ids = messages.map((message) => message.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(count).toBe(messages.length);
        expect(digest).toBe(ids.reduce(chainDigest, chainDigest('', final.agent?.hash ?? '')));
        for (const message of messages)
          expect(TranscriptMessage.safeParse(message).success).toBe(true);
      }),
      { numRuns },
    );
  });

  it('always ends, with one reason, no open call, and a state that is plain JSON', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { final } = simulate(plan);
        expect(final.stop).toBeDefined();
        expect(final.pendingToolCalls).toEqual([]);
        expect(final.iteration).toBeLessThanOrEqual(plan.agent.maxIterations);
        expect(JSON.parse(JSON.stringify(final))).toEqual(final);
        if (final.cancelRequested) expect(final.stop?.reason).toBe('cancelled');
      }),
      { numRuns },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { messageOf, shortText } from '../../src/activities/error-text.ts';
import { toModelFailure } from '../../src/activities/to-model-failure.ts';
import { toRetryDelay } from '../../src/activities/to-retry-delay.ts';
import { ModelError } from '../../src/chat/model-error.ts';

describe('toRetryDelay', () => {
  it('takes no delay that is none, since the SDK ends the Worker over it', () => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1, undefined]) {
      expect(toRetryDelay(wrong)).toBeUndefined();
    }
  });

  it('waits a day at most, in whole milliseconds', () => {
    expect(toRetryDelay(0)).toBe(0);
    expect(toRetryDelay(1.5)).toBe(2);
    expect(toRetryDelay(1e23)).toBe(86_400_000);
  });
});

describe('toModelFailure', () => {
  it('cuts a text that is too large to be reported', () => {
    const error = new ModelError('x'.repeat(5_000_000), { kind: 'server' });
    const { message } = toModelFailure(error, 1);
    expect(message.length).toBe(2_000);
  });

  it('passes on no delay that Temporal cannot take', () => {
    const error = new ModelError('later', { kind: 'rate_limited', retryAfterMs: Number.NaN });
    expect(toModelFailure(error, 1).nextRetryDelay).toBeUndefined();
  });
});

describe('messageOf', () => {
  it('says something of every thrown value', () => {
    expect(messageOf(new Error('broken'))).toBe('broken');
    expect(messageOf('text')).toBe('text');
    expect(messageOf(undefined)).toBe('');
    expect(messageOf(Object.create(null))).toBe('an error that says nothing');
  });

  it('tells the causes too, each once, and ends where they go round', () => {
    const refused = new Error('connect ECONNREFUSED');
    expect(messageOf(new Error('fetch failed', { cause: refused }))).toBe(
      'fetch failed: connect ECONNREFUSED',
    );
    expect(messageOf(new Error('wrapped: inner', { cause: new Error('inner') }))).toBe(
      'wrapped: inner',
    );
    const ring = new Error('ring');
    ring.cause = ring;
    expect(messageOf(ring)).toBe('ring');
  });

  it('gives texts that are well-formed', () => {
    expect(shortText('\ud800')).toBe('\ufffd');
  });
});

import { describe, expect, it } from 'vitest';
import { interleave } from '../../bench/interleave.ts';

describe('interleaving', () => {
  it('measures each side once a round, backwards in every second round', async () => {
    const order: string[] = [];
    const side = (name: string) => async () => order.push(name);
    await interleave(
      { floor: side('floor'), everloop: side('everloop') },
      { rounds: 4, warmUp: 0 },
    );
    expect(order).toEqual([
      ...['floor', 'everloop', 'everloop', 'floor'],
      ...['floor', 'everloop', 'everloop', 'floor'],
    ]);
  });

  it('pairs what was measured in one round and throws the warm-up away', async () => {
    let measured = 0;
    const next = async () => {
      measured += 1;
      return measured;
    };
    const rounds = await interleave({ a: next, b: next }, { rounds: 2, warmUp: 1 });
    expect(rounds).toEqual([
      { b: 3, a: 4 },
      { a: 5, b: 6 },
    ]);
  });

  it('tells of each round, the warm-up included', async () => {
    const told: string[] = [];
    await interleave(
      { only: async () => 0 },
      { rounds: 2, warmUp: 1, onRound: (done, all) => told.push(`${done}/${all}`) },
    );
    expect(told).toEqual(['1/3', '2/3', '3/3']);
  });
});

import { expect, it } from 'vitest';
import { assertFloorIsSmall, floorLineLimit } from '../../bench/floor-size.ts';

it('the floor is a loop of at most 120 lines', () => {
  expect(floorLineLimit).toBe(120);
  expect(assertFloorIsSmall()).toBeLessThanOrEqual(120);
});

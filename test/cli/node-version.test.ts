import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeProblem } from '../../src/cli/node-version.ts';

describe('nodeProblem', () => {
  it.each(['20.20.2', '22.17.9', '18.0.0'])(
    'refuses Node %s and names both versions',
    (version) => {
      expect(nodeProblem(version)).toBe(`everloop needs Node 22.18 or newer; this is ${version}`);
    },
  );

  it.each(['22.18.0', '24.0.0', '26.1.2'])('takes Node %s', (version) => {
    expect(nodeProblem(version)).toBeUndefined();
  });

  it('asks for what package.json asks for', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(engines.node).toBe('>=22.18');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import { toolContext } from './tool-context.ts';

function named(name: string, answer = name) {
  return defineTool({ name, description: '', input: z.object({}), execute: () => answer });
}

const names = fc.array(fc.string({ unit: fc.constantFrom(...'abAB09_-'), minLength: 1 }), {
  minLength: 1,
  maxLength: 8,
});

describe('a tool registry', () => {
  it('lists a function of the set: sorted by code unit, whatever the order of registration', () => {
    fc.assert(
      fc.property(names, (given) => {
        const one = createToolRegistry();
        for (const name of given) one.register(named(name));
        const other = createToolRegistry();
        for (const name of given.toReversed()) other.register(named(name));
        const listed = one.list().map(({ name }) => name);
        expect(listed).toEqual([...new Set(given)].sort());
        expect(other.list().map(({ name }) => name)).toEqual(listed);
      }),
    );
  });

  it('replaces a tool of the same name, and finds nothing for other names', async () => {
    const registry = createToolRegistry();
    registry.register(named('a', 'old'));
    registry.register(named('a', 'new'));
    expect(registry.list()).toHaveLength(1);
    expect(await registry.lookup('a')?.run({}, toolContext())).toBe('new');
    expect(registry.lookup('b')).toBeUndefined();
    expect(registry.lookup('constructor')).toBeUndefined();
  });

  it('wraps what is registered later, not what is there', async () => {
    const registry = createToolRegistry();
    registry.register(named('early'));
    registry.setWrap((next) => ({
      ...next,
      run: async (...args) => `wrapped ${await next.run(...args)}`,
    }));
    registry.register(named('late'));
    expect(await registry.lookup('early')?.run({}, toolContext())).toBe('early');
    expect(await registry.lookup('late')?.run({}, toolContext())).toBe('wrapped late');
  });

  it('refuses a tool that its wrapper spoils', () => {
    const registry = createToolRegistry();
    registry.setWrap((next) => ({ ...next, name: 'b' }));
    expect(() => registry.register(named('a'))).toThrow('changed its name');
    expect(registry.list()).toEqual([]);
  });

  it('is read when an agent is defined: what comes later is not the agent’s', () => {
    const registry = createToolRegistry();
    registry.register(named('b'));
    registry.register(named('a'));
    const agent = defineAgent({ model: 'm', instructions: '', tools: registry });
    registry.register(named('c'));
    expect(agent.tools?.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

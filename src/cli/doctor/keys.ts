/** Whether the models of the agents have their keys; whether a provider takes them is not asked. */
import type { Config } from '../../config.ts';
import { createModelRegistry } from '../../models/model-registry.ts';
import type { Finding } from './finding.ts';
import { ok, problem, warning } from './finding.ts';

/** Which keys are missing. */
export interface KeyFacts {
  readonly missing: readonly {
    readonly agent: string;
    readonly what: string;
    readonly hint: string;
  }[];
  /** Nobody has asked for the built-in agents: without a key they are just of no use. */
  readonly areBuiltIn: boolean;
}

/** Asks for each agent whether its model can be used here. */
export function gatherKeys({ agents, providers, file }: Config): KeyFacts {
  const models = createModelRegistry(providers);
  const missing = [...agents].flatMap(([agent, { model }]) => {
    const found = typeof model === 'string' ? models.problemOf(model) : undefined;
    return found === undefined ? [] : [{ agent, ...found }];
  });
  return { missing, areBuiltIn: file === undefined };
}

/** One finding for each agent whose model has no key. */
export function keyFindings({ missing, areBuiltIn }: KeyFacts): Finding[] {
  if (missing.length === 0) return [ok('keys', 'every agent has the key of its model')];
  const judge = areBuiltIn ? warning : problem;
  const kind = areBuiltIn ? 'built-in agent' : 'agent';
  return missing.map(({ agent, what, hint }) => judge('keys', `${kind} ${agent}: ${what}`, hint));
}

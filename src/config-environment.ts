/** What the environment's variables say, checked. */

import { modelProblem } from './config-schema.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import type { ProviderAccess, Providers } from './models/model-registry.ts';

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A Temporal server that is not the project's own. */
export interface EngineSettings {
  /** `host:port`. */
  readonly address: string;
  readonly tls?: boolean;
  readonly apiKey?: string;
}

/** What the variables say, and what is wrong with them. */
export interface ReadEnvironment {
  readonly providers: Providers;
  readonly engine?: EngineSettings;
  readonly namespace?: string;
  /** Model of the built-in agents. */
  readonly model: string;
  readonly problems: readonly ConfigurationProblem[];
}

/** Model of the built-in agents where `EVERLOOP_MODEL` says nothing. */
const defaultModel = 'openai-chat:gpt-5.5';

const truths: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** Reads the providers' `…_API_KEY` and `…_BASE_URL`, `EVERLOOP_MODEL` and the `TEMPORAL_…` variables. */
export function readEnvironment(env: Environment): ReadEnvironment {
  const problems: ConfigurationProblem[] = [];
  const openAi = accessOf(env, 'OPENAI', 'https://api.openai.com/v1', problems);
  const anthropic = accessOf(env, 'ANTHROPIC', 'https://api.anthropic.com', problems);
  const model = variable(env, 'EVERLOOP_MODEL') ?? defaultModel;
  const unknown = modelProblem(model);
  if (unknown !== undefined) problems.push({ where: 'EVERLOOP_MODEL', what: unknown });
  const engine = engineOf(env, problems);
  const namespace = variable(env, 'TEMPORAL_NAMESPACE');
  return {
    providers: { openai: openAi, 'openai-chat': openAi, anthropic },
    ...(engine !== undefined && { engine }),
    ...(namespace !== undefined && { namespace }),
    model,
    problems,
  };
}

/** Key and address of a provider, from the variables that begin with its name. */
function accessOf(
  env: Environment,
  name: string,
  example: string,
  problems: ConfigurationProblem[],
): ProviderAccess {
  const apiKey = variable(env, `${name}_API_KEY`);
  const baseURL = variable(env, `${name}_BASE_URL`);
  if (baseURL !== undefined && !isWebAddress(baseURL)) {
    problems.push({
      where: `${name}_BASE_URL`,
      what: `${JSON.stringify(baseURL)} is no http or https URL, such as ${example}`,
    });
  }
  return { ...(apiKey !== undefined && { apiKey }), ...(baseURL !== undefined && { baseURL }) };
}

function engineOf(env: Environment, problems: ConfigurationProblem[]): EngineSettings | undefined {
  const address = variable(env, 'TEMPORAL_ADDRESS');
  const apiKey = variable(env, 'TEMPORAL_API_KEY');
  const wantsTls = variable(env, 'TEMPORAL_TLS');
  if (address === undefined) {
    if (variable(env, 'TEMPORAL_PROFILE') !== undefined) {
      problems.push({
        where: 'TEMPORAL_PROFILE',
        what: 'profiles are not read; set TEMPORAL_ADDRESS and, as needed, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS',
      });
    }
    return undefined;
  }
  if (!isHostAndPort(address)) {
    problems.push({
      where: 'TEMPORAL_ADDRESS',
      what: `${JSON.stringify(address)} is no host:port, such as 127.0.0.1:7233`,
    });
  }
  const tls = wantsTls === undefined ? undefined : truths[wantsTls.toLowerCase()];
  if (wantsTls !== undefined && tls === undefined) {
    problems.push({
      where: 'TEMPORAL_TLS',
      what: `${JSON.stringify(wantsTls)} is neither true nor false`,
    });
  }
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    // A key must not travel in the clear unless that is asked for.
    ...(tls === undefined ? apiKey !== undefined && { tls: true } : { tls }),
  };
}

/** An empty variable counts as not set, as shells can hardly unset one for a single command. */
function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function isHostAndPort(text: string): boolean {
  if (!URL.canParse(`tcp://${text}`)) return false;
  const { hostname, port, pathname, username } = new URL(`tcp://${text}`);
  return hostname !== '' && port !== '' && pathname === '' && username === '';
}

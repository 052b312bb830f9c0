/** Whether the Temporal server answers and fits, and what its namespace lacks. */

import type { Config } from '../../config.ts';
import { connectClient } from '../../engine/connect.ts';
import type { EngineState } from '../../engine/engine-state.ts';
import type { NamespaceDescription } from '../../engine/namespace.ts';
import { describeNamespace, leastRetentionDays } from '../../engine/namespace.ts';
import {
  everloopSearchAttributes,
  missingSearchAttributes,
} from '../../engine/search-attributes.ts';
import { EverloopError } from '../../everloop-error.ts';
import type { ClockFacts } from './clock.ts';
import { clockFinding, measureClock } from './clock.ts';
import type { Finding } from './finding.ts';
import { ok, problem, warning } from './finding.ts';

/** What the server has said. */
export type ServerFacts =
  /** None is named, and the project's engine is not running. */
  | { readonly status: 'none' }
  | { readonly status: 'unreachable'; readonly what: string; readonly hint: string }
  | {
      readonly status: 'reached';
      readonly address: string;
      readonly version: string;
      readonly namespace: string;
      /** Undefined when there is no such namespace. */
      readonly description: NamespaceDescription | undefined;
      readonly searchAttributes: SearchAttributeFacts;
      readonly clock: ClockFacts | undefined;
    };

/** Names of those that are missing, or why that cannot be told. */
type SearchAttributeFacts =
  | { readonly status: 'known'; readonly missing: readonly string[] }
  /** Registered with another type. */
  | { readonly status: 'wrong'; readonly what: string; readonly hint: string }
  /** The server does not let this client look. */
  | { readonly status: 'hidden'; readonly what: string; readonly hint: string };

/** @param state of the project's engine, when it is running */
export async function gatherServer(
  { engine, namespace }: Config,
  state: EngineState | undefined,
): Promise<ServerFacts> {
  const access = engine ?? (state && { address: state.address });
  if (access === undefined) return { status: 'none' };
  try {
    const { connection } = await connectClient({ ...access, namespace });
    try {
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      const description = await describeNamespace(connection, namespace);
      const isThere = description !== undefined;
      return {
        status: 'reached',
        address: access.address,
        version: serverVersion,
        namespace,
        description,
        searchAttributes: isThere
          ? await attributesOf(connection, namespace)
          : { status: 'known', missing: everloopSearchAttributes.map(({ name }) => name) },
        clock: isThere
          ? await measureClock(connection, namespace).catch(() => undefined)
          : undefined,
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const hint = error instanceof EverloopError ? error.hint : undefined;
    return {
      status: 'unreachable',
      what,
      hint: hint ?? 'check the address, and that its key may look at the namespace',
    };
  }
}

async function attributesOf(
  connection: Parameters<typeof missingSearchAttributes>[0],
  namespace: string,
): Promise<SearchAttributeFacts> {
  try {
    return { status: 'known', missing: await missingSearchAttributes(connection, namespace) };
  } catch (error) {
    if (!(error instanceof EverloopError)) throw error;
    const status = error.code === 'configuration' ? 'wrong' : 'hidden';
    return { status, what: error.message.replaceAll(/\s+/g, ' '), hint: error.hint ?? '' };
  }
}

/** The server, and, when it was reached, what its namespace is like. */
export function serverFindings(facts: ServerFacts): Finding[] {
  if (facts.status === 'none') {
    return [ok('server', 'no engine is running; everloop dev starts one with all that runs need')];
  }
  if (facts.status === 'unreachable') return [problem('server', facts.what, facts.hint)];
  const { address, version, namespace, description } = facts;
  const server = `Temporal ${version} at ${address}`;
  if (description === undefined) {
    const what = `${server} has no namespace ${namespace}`;
    const fix =
      'make it with: everloop setup --create-namespace (or name another in TEMPORAL_NAMESPACE)';
    return [problem('server', what, fix)];
  }
  return [
    description.takesUpdates
      ? ok('server', `${server}, namespace ${namespace}`)
      : problem(
          'server',
          `${server} takes no Updates in namespace ${namespace}, so that runs cannot be sent messages`,
          'use Temporal 1.25 or newer, or set frontend.enableUpdateWorkflowExecution there',
        ),
    searchAttributeFinding(facts.searchAttributes),
    retentionFinding(description.retentionDays),
    clockFinding(facts.clock),
  ];
}

function searchAttributeFinding(facts: SearchAttributeFacts): Finding {
  const check = 'search-attributes';
  if (facts.status === 'wrong') return problem(check, facts.what, facts.hint);
  if (facts.status === 'hidden') return warning(check, facts.what, facts.hint);
  const { missing } = facts;
  return missing.length === 0
    ? ok(check, `all ${everloopSearchAttributes.length} are registered`)
    : problem(check, `not registered: ${missing.join(', ')}`, 'register them with: everloop setup');
}

function retentionFinding(days: number): Finding {
  const rounded = Math.round(days * 10) / 10;
  const kept = `closed runs are kept for ${rounded} ${rounded === 1 ? 'day' : 'days'}`;
  return days >= leastRetentionDays
    ? ok('retention', kept)
    : problem(
        'retention',
        `${kept}: after that they cannot be replayed, rewound or retried`,
        `keep them for at least ${leastRetentionDays} days with: everloop setup`,
      );
}

/** Makes a Temporal server ready for Everloop's runs, and tells what it lacks. */
import { setTimeout as delay } from 'node:timers/promises';
import { EverloopError } from '../everloop-error.ts';
import type { NamespaceService } from './namespace.ts';
import {
  createNamespace,
  describeNamespace,
  leastRetentionDays,
  onceKnown,
  setRetention,
} from './namespace.ts';
import type { SearchAttributeService } from './search-attributes.ts';
import {
  everloopSearchAttributes,
  missingSearchAttributes,
  registerSearchAttributes,
} from './search-attributes.ts';

/** One thing that runs need of the server: there, made just now, or missing. */
export interface ClusterItem {
  readonly item: 'namespace' | 'retention' | 'search_attributes';
  readonly status: 'present' | 'done' | 'missing';
  readonly detail: string;
}

/** How to set a cluster up. */
export interface SetUpClusterOptions {
  readonly namespace: string;
  /** Whether to make the namespace where there is none. */
  readonly createNamespace: boolean;
}

/** Registered attributes are seen by all parts of a server within seconds. */
const visibleTimeoutMs = 60_000;
const lookMs = 200;

/**
 * What the namespace has and lacks; nothing is changed.
 *
 * @throws EverloopError (`unauthorized`), ConfigurationError, as {@link missingSearchAttributes}.
 */
export async function inspectCluster(
  connection: NamespaceService & SearchAttributeService,
  namespace: string,
): Promise<ClusterItem[]> {
  const found = await describeNamespace(connection, namespace);
  if (found === undefined) {
    return [{ item: 'namespace', status: 'missing', detail: `${namespace} does not exist` }];
  }
  const missing = await missingSearchAttributes(connection, namespace);
  return [
    namespaceItem('present', namespace),
    retentionItem(found.retentionDays),
    missing.length === 0
      ? { item: 'search_attributes', status: 'present', detail: allNames() }
      : { item: 'search_attributes', status: 'missing', detail: missing.join(', ') },
  ];
}

/**
 * Registers the search attributes and keeps closed runs for at least {@link leastRetentionDays} days; a longer
 * retention is left as it is. A second call changes nothing.
 *
 * @throws EverloopError (`not_found`) when there is no such namespace and none may be made; (`unauthorized`);
 * ConfigurationError when a search attribute has another type.
 */
export async function setUpCluster(
  connection: NamespaceService & SearchAttributeService,
  { namespace, createNamespace: mayCreate }: SetUpClusterOptions,
): Promise<ClusterItem[]> {
  const found = await describeNamespace(connection, namespace);
  if (found === undefined && !mayCreate) {
    throw new EverloopError('not_found', `there is no namespace ${namespace} on this server`, {
      hint: 'make it with: everloop setup --create-namespace (or name another in TEMPORAL_NAMESPACE)',
    });
  }
  if (found === undefined) await createNamespace(connection, namespace, leastRetentionDays);
  const retention = retentionItem(found?.retentionDays ?? 0);
  if (found !== undefined && retention.status === 'missing') {
    await setRetention(connection, namespace, leastRetentionDays);
  }
  const registered = await onceKnown(namespace, () =>
    registerSearchAttributes(connection, namespace),
  );
  if (registered.length > 0) await untilVisible(connection, namespace);
  return [
    namespaceItem(found === undefined ? 'done' : 'present', namespace),
    retention.status === 'missing' ? doneRetention(found?.retentionDays) : retention,
    registered.length === 0
      ? { item: 'search_attributes', status: 'present', detail: allNames() }
      : { item: 'search_attributes', status: 'done', detail: registered.join(', ') },
  ];
}

/** A run that is started before that would be refused. */
async function untilVisible(connection: SearchAttributeService, namespace: string): Promise<void> {
  const deadline = Date.now() + visibleTimeoutMs;
  while ((await missingSearchAttributes(connection, namespace)).length > 0) {
    if (Date.now() > deadline) {
      throw new EverloopError(
        'engine_failed',
        'the server does not yet show the search attributes that it has registered',
        { hint: 'look again in a minute with: everloop setup --check' },
      );
    }
    await delay(lookMs);
  }
}

function namespaceItem(status: 'present' | 'done', detail: string): ClusterItem {
  return { item: 'namespace', status, detail };
}

function retentionItem(days: number): ClusterItem {
  const kept = `closed runs are kept for ${formatDays(days)}`;
  return days >= leastRetentionDays
    ? { item: 'retention', status: 'present', detail: kept }
    : {
        item: 'retention',
        status: 'missing',
        detail: `${kept}, less than ${leastRetentionDays}`,
      };
}

function doneRetention(before: number | undefined): ClusterItem {
  const was = before === undefined ? '' : `, no longer for ${formatDays(before)}`;
  const detail = `closed runs are kept for ${leastRetentionDays} days${was}`;
  return { item: 'retention', status: 'done', detail };
}

/** Days as people say them: `1 day`, `1.5 days`. */
function formatDays(days: number): string {
  const rounded = Math.round(days * 10) / 10;
  return `${rounded} ${rounded === 1 ? 'day' : 'days'}`;
}

function allNames(): string {
  return everloopSearchAttributes.map(({ name }) => name).join(', ');
}

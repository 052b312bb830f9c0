/** What the examination makes of facts: healthy ones and broken ones. */
import { describe, expect, it } from 'vitest';
import { blobStoreFinding } from '../../../src/cli/doctor/blob-store.ts';
import { clockFinding } from '../../../src/cli/doctor/clock.ts';
import { configurationFindings } from '../../../src/cli/doctor/configuration.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { keyFindings } from '../../../src/cli/doctor/keys.ts';
import { nodeFinding } from '../../../src/cli/doctor/node.ts';
import { packageFindings } from '../../../src/cli/doctor/packages.ts';
import { portFindings } from '../../../src/cli/doctor/ports.ts';
import type { ServerFacts } from '../../../src/cli/doctor/server.ts';
import { serverFindings } from '../../../src/cli/doctor/server.ts';
import { temporalCliFinding } from '../../../src/cli/doctor/temporal-cli.ts';
import { ConfigurationError } from '../../../src/everloop-error.ts';

const gibibyte = 1024 ** 3;

const reached: Extract<ServerFacts, { status: 'reached' }> = {
  status: 'reached',
  address: 'temporal.example:7233',
  version: '1.32.0',
  namespace: 'prod',
  description: { retentionDays: 90, takesUpdates: true },
  searchAttributes: { status: 'known', missing: [] },
  clock: { atLeastMs: -20, atMostMs: 30 },
};

function server(change: Partial<typeof reached>): Finding[] {
  return serverFindings({ ...reached, ...change });
}

function copy(name: string, version = '1.24.0', path = `node_modules/${name}`) {
  return { name, version, path };
}

const healthy = [copy('@temporalio/common'), copy('@temporalio/client')];
const protobuf = copy('protobufjs', '8.8.1');

/** What is judged, the statuses of the findings, and texts that are in them. */
const cases: readonly (readonly [string, Finding | Finding[], Finding['status'][], ...string[]])[] =
  [
    ['a new Node', nodeFinding('24.21.0'), ['ok'], '24.21.0'],
    ['an old Node', nodeFinding('22.17.9'), ['problem'], '22.18', 'install a newer Node'],
    [
      'a Temporal CLI',
      temporalCliFinding(
        { status: 'found', cli: { path: '/bin/temporal', version: '1.9.1', source: 'path' } },
        true,
      ),
      ['ok'],
      '1.9.1',
      'PATH',
      '/bin/temporal',
    ],
    [
      'a Temporal CLI that is named and broken',
      temporalCliFinding(
        {
          status: 'named',
          problems: [{ where: 'EVERLOOP_TEMPORAL_CLI=/x', what: 'no such file' }],
        },
        false,
      ),
      ['problem'],
      'EVERLOOP_TEMPORAL_CLI=/x: no such file',
      'unset it',
    ],
    [
      'no Temporal CLI where one is needed',
      temporalCliFinding(
        {
          status: 'absent',
          problems: [
            { where: 'EVERLOOP_TEMPORAL_CLI', what: 'not set' },
            { where: '/usr/bin/temporal', what: 'version 1.0.0 is too old' },
          ],
        },
        true,
      ),
      ['warning'],
      '/usr/bin/temporal: version 1.0.0 is too old',
      'https://docs.temporal.io/cli',
    ],
    [
      'no Temporal CLI where a server is named',
      temporalCliFinding({ status: 'absent', problems: [] }, false),
      ['ok'],
      'not needed',
    ],
    ['one copy of each package', packageFindings([...healthy, protobuf]), ['ok', 'ok'], '1.24.0'],
    [
      'two copies of protobufjs',
      packageFindings([...healthy, protobuf, copy('protobufjs', '8.8.1', 'deep/protobufjs')]),
      ['problem', 'ok'],
      '2 copies of protobufjs',
      'deep/protobufjs',
      'type must be a Type',
      'npm install protobufjs@^8',
    ],
    [
      'an old protobufjs',
      packageFindings([...healthy, copy('protobufjs', '7.6.6')]),
      ['problem', 'ok'],
      'protobufjs 7.6.6',
    ],
    [
      'two copies of a Temporal package',
      packageFindings([...healthy, protobuf, copy('@temporalio/client', '1.20.0', 'deep/client')]),
      ['ok', 'problem'],
      '@temporalio/client (1.24.0 in node_modules/@temporalio/client, 1.20.0 in deep/client)',
      'npm dedupe',
    ],
    [
      'Temporal packages of several versions',
      packageFindings([...healthy, protobuf, copy('@temporalio/worker', '1.23.0')]),
      ['ok', 'problem'],
      'several versions',
      '@temporalio/worker 1.23.0',
    ],
    ['no packages', packageFindings([]), ['problem', 'problem'], 'not installed', 'npm install'],
    [
      'a configuration with problems',
      configurationFindings(
        new ConfigurationError(
          'the configuration is not valid',
          [
            { where: 'everloop.config.ts: agents.a.model', what: 'must be a name' },
            { where: 'TEMPORAL_TLS', what: '"maybe" is neither true nor false' },
          ],
          { hint: 'correct what is listed' },
        ),
      ),
      ['problem', 'problem'],
      'agents.a.model: must be a name',
      'TEMPORAL_TLS: "maybe"',
      'correct what is listed',
    ],
    ['all keys', keyFindings({ missing: [], areBuiltIn: false }), ['ok'], 'every agent'],
    [
      'missing keys',
      keyFindings({
        missing: [
          { agent: 'support', what: 'SOME_KEY is not set', hint: 'set SOME_KEY' },
          { agent: 'writer', what: 'OTHER_KEY is not set', hint: 'set OTHER_KEY' },
        ],
        areBuiltIn: false,
      }),
      ['problem', 'problem'],
      'agent support: SOME_KEY is not set',
      'set OTHER_KEY',
    ],
    [
      'a missing key of the built-in agents',
      keyFindings({
        missing: [{ agent: 'demo', what: 'no key', hint: 'set it' }],
        areBuiltIn: true,
      }),
      ['warning'],
      'built-in agent demo',
    ],
    ['no server', serverFindings({ status: 'none' }), ['ok'], 'everloop dev'],
    [
      'a server that cannot be reached',
      serverFindings({ status: 'unreachable', what: 'cannot reach it', hint: 'check the address' }),
      ['problem'],
      'cannot reach it',
      'check the address',
    ],
    [
      'a healthy server',
      server({}),
      ['ok', 'ok', 'ok', 'ok'],
      'Temporal 1.32.0 at temporal.example:7233, namespace prod',
      'all 5 are registered',
      'kept for 90 days',
      'at most 0.03 s away',
    ],
    [
      'a server without the namespace',
      server({ description: undefined }),
      ['problem'],
      'no namespace prod',
      'everloop setup --create-namespace',
    ],
    [
      'a server without Updates',
      server({ description: { retentionDays: 90, takesUpdates: false } }),
      ['problem', 'ok', 'ok', 'ok'],
      'takes no Updates',
      'frontend.enableUpdateWorkflowExecution',
    ],
    [
      'a server without some search attributes',
      server({
        searchAttributes: { status: 'known', missing: ['EverloopRoot', 'EverloopParent'] },
      }),
      ['ok', 'problem', 'ok', 'ok'],
      'not registered: EverloopRoot, EverloopParent',
      'everloop setup',
    ],
    [
      'search attributes of another type',
      server({ searchAttributes: { status: 'wrong', what: 'is no Keyword', hint: 'remove it' } }),
      ['ok', 'problem', 'ok', 'ok'],
      'is no Keyword',
    ],
    [
      'search attributes that may not be looked at',
      server({ searchAttributes: { status: 'hidden', what: 'not let', hint: 'ask them' } }),
      ['ok', 'warning', 'ok', 'ok'],
      'ask them',
    ],
    [
      'a retention of a day',
      server({ description: { retentionDays: 1, takesUpdates: true } }),
      ['ok', 'ok', 'problem', 'ok'],
      'kept for 1 day: after that',
      'at least 30 days',
    ],
    [
      'a retention of just enough',
      server({ description: { retentionDays: 30, takesUpdates: true } }),
      ['ok', 'ok', 'ok', 'ok'],
      'kept for 30 days',
    ],
    ['clocks that agree', clockFinding({ atLeastMs: -900, atMostMs: 40 }), ['ok'], '0.90 s'],
    [
      'clocks that may agree over a slow line',
      clockFinding({ atLeastMs: -5_000, atMostMs: 5_000 }),
      ['ok'],
      'at most 5.00 s',
    ],
    [
      'a clock that is behind',
      clockFinding({ atLeastMs: 1_500, atMostMs: 1_700 }),
      ['warning'],
      "at least 1.50 s behind the server's",
      'timedatectl',
    ],
    [
      'a clock that is far ahead',
      clockFinding({ atLeastMs: -61_900, atMostMs: -61_000 }),
      ['problem'],
      "at least 61 s ahead of the server's",
    ],
    ['a clock that cannot be read', clockFinding(undefined), ['warning'], 'could not be read'],
    [
      'ports',
      portFindings([
        { port: 1, use: 'A', holder: 'nobody' },
        { port: 2, use: 'B', holder: 'own engine' },
        { port: 3, use: 'C', holder: 'other' },
      ]),
      ['ok', 'ok', 'warning'],
      'port 1 (A) is free',
      'port 2 (B) is used by this project',
      'lsof -i :3',
    ],
    [
      'a blob store with room',
      blobStoreFinding({ status: 'usable', path: '/b', freeBytes: 2 * gibibyte }),
      ['ok'],
      '/b has 2.0 GiB free',
    ],
    [
      'a blob store with little room',
      blobStoreFinding({ status: 'usable', path: '/b', freeBytes: gibibyte / 2 }),
      ['warning'],
      'only /b has 512 MiB free',
      'free some space',
    ],
    [
      'a blob store with no room',
      blobStoreFinding({ status: 'usable', path: '/b', freeBytes: 1_000 }),
      ['problem'],
      '/b has 0 MiB free',
    ],
    [
      'a blob store that fails',
      blobStoreFinding({ status: 'failed', what: 'read-only', hint: 'mount it writable' }),
      ['problem'],
      'read-only',
      'mount it writable',
    ],
  ];

describe('the examination', () => {
  for (const [title, found, statuses, ...texts] of cases) {
    it(`of ${title}`, () => {
      const findings = Array.isArray(found) ? found : [found];
      expect(findings.map(({ status }) => status)).toEqual(statuses);
      for (const finding of findings) {
        if (finding.status !== 'ok') expect(finding.fix).not.toBe('');
      }
      const said = JSON.stringify(findings.flatMap((finding) => Object.values(finding)));
      for (const text of texts) expect(said).toContain(JSON.stringify(text).slice(1, -1));
    });
  }
});

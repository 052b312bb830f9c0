import { join } from 'node:path';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, it, vi } from 'vitest';
import type { SearchAttributeService } from '../../src/engine/search-attributes.ts';
import {
  everloopSearchAttributes,
  missingSearchAttributes,
  registerSearchAttributes,
} from '../../src/engine/search-attributes.ts';
import { connect, refusal, startServer } from './started-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Calls = SearchAttributeService['operatorService'];

function answering(
  listSearchAttributes: Calls['listSearchAttributes'],
  addSearchAttributes: Calls['addSearchAttributes'] = async () => ({}),
): SearchAttributeService {
  return { operatorService: { listSearchAttributes, addSearchAttributes } };
}

function grpcError(code: number): Error {
  return Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
}

describe('search attributes', () => {
  it('are registered once in a namespace that lacks them', async () => {
    const folder = await temporaryFolder();
    const { address } = await startServer({ databaseFile: join(folder, 'a.db') });
    const { connection } = await connect(address);
    const namespace = 'later';
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('3 days'),
    });
    const names = everloopSearchAttributes.map(({ name }) => name);
    const register = () =>
      registerSearchAttributes(connection, namespace).catch((error: unknown) => {
        if (String(error).includes('not found')) return false;
        throw error;
      });
    expect(await vi.waitUntil(register, { timeout: 20_000, interval: 200 })).toEqual(names);
    const again = async () => (await missingSearchAttributes(connection, namespace)).length === 0;
    await vi.waitUntil(again, { timeout: 20_000, interval: 200 });
    expect(await registerSearchAttributes(connection, namespace)).toEqual([]);
  });

  it('are refused where one of them has another type', async () => {
    const listed = { customAttributes: { EverloopStatus: 1, EverloopAgent: 2 } };
    const error = await refusal(
      missingSearchAttributes(
        answering(async () => listed),
        'n',
      ),
    );
    expect(error.code).toBe('configuration');
    expect(error.message).toContain('EverloopStatus: is not a Keyword');
    expect(error.message).not.toContain('EverloopAgent');
  });

  it.each([7, 12, 16])(
    'are for the administrator where the server answers code %i',
    async (code) => {
      const refused = () => Promise.reject(grpcError(code));
      const error = await refusal(registerSearchAttributes(answering(refused), 'n'));
      expect(error.code).toBe('unauthorized');
      expect(error.hint).toContain('EverloopAgent, EverloopStatus');
    },
  );

  it('count as registered when another client was faster', async () => {
    const nothing = async () => ({ customAttributes: {} });
    const connection = answering(nothing, () => Promise.reject(grpcError(6)));
    expect(await registerSearchAttributes(connection, 'n')).toHaveLength(5);
  });
});

/** The search attributes that Everloop's runs carry, and their registration on a server. */
import { isGrpcServiceError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { ConfigurationError } from '../everloop-error.ts';
import { searchAttribute } from '../loop/search-attributes.ts';
import { permitted } from './permitted.ts';

/** Name of the agent that the run executes. */
export const agentAttribute = defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD');
/** `running` or the stop reason. */
export const statusAttribute = defineSearchAttributeKey(searchAttribute.status, 'KEYWORD');
/** Run id at the top of the tree of sub-agents. */
export const rootAttribute = defineSearchAttributeKey(searchAttribute.root, 'KEYWORD');
/** Run id that the run was forked from. */
export const forkedFromAttribute = defineSearchAttributeKey(searchAttribute.forkedFrom, 'KEYWORD');
/** Run id of the parent, for a sub-agent. */
export const parentAttribute = defineSearchAttributeKey(searchAttribute.parent, 'KEYWORD');

/** All of them; Keywords, so that a filter matches whole values. */
export const everloopSearchAttributes = [
  agentAttribute,
  statusAttribute,
  rootAttribute,
  forkedFromAttribute,
  parentAttribute,
] as const;

/** Temporal's number for a Keyword on the wire (`INDEXED_VALUE_TYPE_KEYWORD`). */
const keyword = 2;

/** gRPC `ALREADY_EXISTS`. */
const alreadyExists = 6;

/** What is needed of a connection; Temporal's connections have it. */
export interface SearchAttributeService {
  readonly operatorService: {
    listSearchAttributes(request: {
      namespace: string;
    }): Promise<{ customAttributes: Record<string, number> }>;
    addSearchAttributes(request: {
      namespace: string;
      searchAttributes: Record<string, number>;
    }): Promise<unknown>;
  };
}

/**
 * Names of the attributes that the namespace does not have yet.
 *
 * @throws ConfigurationError when one exists with another type than Keyword.
 * @throws EverloopError (`unauthorized`) when the server does not let this client look.
 */
export async function missingSearchAttributes(
  connection: SearchAttributeService,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await allowed(
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const problems = everloopSearchAttributes
    .filter(({ name }) => (customAttributes[name] ?? keyword) !== keyword)
    .map(({ name }) => ({
      where: `search attribute ${name}`,
      what: 'is not a Keyword in this namespace',
    }));
  if (problems.length > 0) {
    throw new ConfigurationError(
      `namespace ${namespace} has search attributes of the wrong type`,
      problems,
      { hint: 'use another namespace, or remove these search attributes there' },
    );
  }
  return everloopSearchAttributes
    .map(({ name }) => name)
    .filter((name) => customAttributes[name] === undefined);
}

/**
 * Registers what is missing and returns its names; a second call registers nothing.
 *
 * @throws ConfigurationError when an attribute exists with another type than Keyword.
 * @throws EverloopError (`unauthorized`) when the server does not let this client register.
 */
export async function registerSearchAttributes(
  connection: SearchAttributeService,
  namespace: string,
): Promise<string[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]));
  try {
    await allowed(connection.operatorService.addSearchAttributes({ namespace, searchAttributes }));
  } catch (error) {
    // Somebody registered them at the same time.
    if (!isGrpcServiceError(error) || error.code !== alreadyExists) throw error;
  }
  return missing;
}

/** Hosted servers keep search attributes to their administrators. */
async function allowed<T>(call: Promise<T>): Promise<T> {
  const names = everloopSearchAttributes.map(({ name }) => name).join(', ');
  return await permitted(
    call,
    'manage search attributes',
    `have its administrator create these, as Keyword: ${names}`,
  );
}

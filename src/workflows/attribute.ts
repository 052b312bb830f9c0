/** The search attributes of a run, as Workflow code writes them. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttribute } from '../loop/search-attributes.ts';

/** Their keys; names and types are what `everloop setup` registers. */
export const attribute = {
  agent: defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD'),
  status: defineSearchAttributeKey(searchAttribute.status, 'KEYWORD'),
  root: defineSearchAttributeKey(searchAttribute.root, 'KEYWORD'),
  forkedFrom: defineSearchAttributeKey(searchAttribute.forkedFrom, 'KEYWORD'),
  parent: defineSearchAttributeKey(searchAttribute.parent, 'KEYWORD'),
} as const;

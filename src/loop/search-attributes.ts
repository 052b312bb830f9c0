/** Names of the search attributes (all Keyword) by which runs are listed in any Temporal client. */

export const searchAttribute = {
  /** Name of the agent. */
  agent: 'EverloopAgent',
  /** `running` or the stop reason. */
  status: 'EverloopStatus',
  /** Run id at the top of the tree that the run belongs to. */
  root: 'EverloopRoot',
  /** Run id that this one was forked from. */
  forkedFrom: 'EverloopForkedFrom',
  /** Run id of the parent of a sub-agent. */
  parent: 'EverloopParent',
} as const;

/** What an examination finds: one sentence per thing looked at, and what to do where something is wrong. */

/** One finding. */
export type Finding =
  | { readonly check: Check; readonly status: 'ok'; readonly what: string }
  | {
      readonly check: Check;
      /** `problem`: something will fail. `warning`: something may, or is worse than it could be. */
      readonly status: 'warning' | 'problem';
      readonly what: string;
      readonly fix: string;
    };

/** What is looked at. */
export type Check =
  | 'node'
  | 'temporal-cli'
  | 'packages'
  | 'configuration'
  | 'keys'
  | 'server'
  | 'search-attributes'
  | 'retention'
  | 'clock'
  | 'ports'
  | 'blob-store';

/** All is well. */
export function ok(check: Check, what: string): Finding {
  return { check, status: 'ok', what };
}

/** It works, for now or in part. */
export function warning(check: Check, what: string, fix: string): Finding {
  return { check, status: 'warning', what, fix };
}

/** It does not work. */
export function problem(check: Check, what: string, fix: string): Finding {
  return { check, status: 'problem', what, fix };
}

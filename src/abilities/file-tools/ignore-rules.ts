/** What .gitignore files leave out, each for the folder that it lies in. */
import ignore from 'ignore';
import { relativeTo } from './workspace-path.ts';

/** The rules in force in one folder: those of its own file and of the folders above. */
export interface IgnoreRules {
  /** The rules with those of a .gitignore in `folder` added; the deeper file decides where both speak. */
  with(folder: string, text: string): IgnoreRules;
  ignores(path: string, kind: 'file' | 'folder'): boolean;
}

/** Left out everywhere unless asked for: installed code crowds out the project's own. */
const byDefault = 'node_modules';

/**
 * More `**` in one rule make matching a deep path take seconds (three: milliseconds at 64 folders, measured),
 * and an agent can write a .gitignore.
 */
const maxCrossings = 3;

/** No .gitignore read yet: below `folder`, node_modules alone is left out. */
export function createIgnoreRules(folder = ''): IgnoreRules {
  return rulesOf([{ folder, rules: ignore({ ignorecase: false }).add(byDefault) }]);
}

interface Level {
  readonly folder: string;
  readonly rules: ReturnType<typeof ignore>;
}

function rulesOf(levels: readonly Level[]): IgnoreRules {
  return {
    with(folder, text) {
      const lines = text
        .split(/\r?\n/)
        .filter((line) => line.split('**').length - 1 <= maxCrossings);
      const rules = ignore({ ignorecase: false }).add(lines);
      return rulesOf([...levels, { folder, rules }]);
    },
    ignores(path, kind) {
      for (const { folder, rules } of levels.toReversed()) {
        const relative = relativeTo(folder, path);
        const { ignored, unignored } = rules.test(kind === 'folder' ? `${relative}/` : relative);
        if (ignored || unignored) return ignored;
      }
      return false;
    },
  };
}

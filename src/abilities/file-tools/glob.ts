/** Glob patterns, matched in linear time: a pattern is written by a model and must not be able to hang a Worker. */
import { RE2JS } from 're2js';

/**
 * A test for paths. `*` and `?` stay inside one folder, `**` crosses folders, `[abc]` and `[!abc]` are classes,
 * `{a,b}` alternatives. A pattern without `/` is matched against the file's name, at any depth.
 * @throws Error saying what is wrong with the pattern
 */
export function createGlob(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/^\.?\//, '');
  const anywhere = trimmed.includes('/') ? trimmed : `**/${trimmed}`;
  try {
    const compiled = RE2JS.compile(`^(?s:${new GlobReader(anywhere).read()})$`);
    return (path) => compiled.test(path);
  } catch (error) {
    throw new Error(
      `glob ${JSON.stringify(pattern)}: ${error instanceof Error ? error.message : 'invalid'}`,
    );
  }
}

class GlobReader {
  readonly #glob: string;
  #at = 0;
  #depth = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): string {
    let expression = '';
    while (this.#at < this.#glob.length) expression += this.#next();
    if (this.#depth > 0) throw new Error('a { is not closed');
    return expression;
  }

  #next(): string {
    const { wildcard, matches } = this.#wildcard() ?? {};
    if (wildcard !== undefined && matches !== undefined) {
      this.#at += wildcard.length;
      return matches;
    }
    const character = String.fromCodePoint(this.#glob.codePointAt(this.#at) ?? 0);
    if (character === '[') return this.#class();
    this.#at += character.length;
    if (character === '\\' && this.#at < this.#glob.length) return this.#literal();
    if (character === '{') {
      this.#depth += 1;
      return '(?:';
    }
    if (this.#depth > 0 && character === ',') return '|';
    if (this.#depth > 0 && character === '}') {
      this.#depth -= 1;
      return ')';
    }
    return RE2JS.quote(character);
  }

  #wildcard(): { wildcard: string; matches: string } | undefined {
    const rest = this.#glob.slice(this.#at);
    const startsSegment = this.#at === 0 || this.#glob[this.#at - 1] === '/';
    if (startsSegment && rest.startsWith('**/')) return { wildcard: '**/', matches: '(?:[^/]+/)*' };
    if (startsSegment && rest === '**') return { wildcard: '**', matches: '.+' };
    if (rest.startsWith('*')) return { wildcard: /^\*+/.exec(rest)?.[0] ?? '*', matches: '[^/]*' };
    if (rest.startsWith('?')) return { wildcard: '?', matches: '[^/]' };
    return undefined;
  }

  /** A class; a `[` that nothing closes stands for itself. */
  #class(): string {
    const found = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(this.#glob.slice(this.#at));
    if (found === null) {
      this.#at += 1;
      return '\\[';
    }
    const [whole, negated, members = ''] = found;
    this.#at += whole.length;
    const escaped = members.replace(/[\\[\]^&~]/g, '\\$&');
    // A negated class would match the slash between folders.
    return negated === '' ? `[${escaped}]` : `[^/${escaped}]`;
  }

  #literal(): string {
    const character = String.fromCodePoint(this.#glob.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return RE2JS.quote(character);
  }
}

/** What keeps a Worker of this configuration from its work, asked before anything is started. */
import type { Config } from '../config.ts';
import { missingKeys } from '../config.ts';
import { ConfigurationError } from '../everloop-error.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';

const summary = 'an API key is missing';

/**
 * Makes sure that every agent has its key. The built-in agents nobody has asked for: there a note is enough.
 * @throws ConfigurationError
 */
export function checkKeys(terminal: Terminal, config: Config): void {
  const problems = missingKeys(config);
  if (problems.length === 0) return;
  if (config.file !== undefined) throw new ConfigurationError(summary, problems);
  writeNote(terminal, 'The built-in agents need OPENAI_API_KEY, which is not set.');
}

/**
 * Makes sure that one agent has its key.
 * @throws ConfigurationError
 */
export function checkKeyOf(config: Config, agent: string): void {
  const agents = new Map([...config.agents].filter(([name]) => name === agent));
  const problems = missingKeys({ ...config, agents });
  if (problems.length > 0) throw new ConfigurationError(summary, problems);
}

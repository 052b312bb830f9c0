/** Imports the built package by its own name, as Node itself does: a test runner hides bad CommonJS imports. */
import assert from 'node:assert/strict';

for (const [specifier, name] of [
  ['everloop', 'defineAgent'],
  ['everloop/chat', 'userMessage'],
  ['everloop/client', 'Everloop'],
  ['everloop/testing', 'scriptedModel'],
  ['everloop/worker', 'createWorker'],
] as const) {
  const names: Record<string, unknown> = await import(specifier);
  assert.equal(typeof names[name], 'function', `${specifier}: ${name}`);
}
console.log('smoke ok', process.version);

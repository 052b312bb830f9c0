/** The public names: what people may rely on. */
import { expect, it } from 'vitest';
import * as everloop from '../src/index.ts';

it('exports these names and no others', () => {
  expect(Object.keys(everloop).sort()).toEqual([
    'ConfigurationError',
    'Everloop',
    'EverloopError',
    'RetryableError',
    'RunHandle',
    'askUser',
    'createFileBlobStore',
    'createToolRegistry',
    'defineAgent',
    'defineConfig',
    'defineExternalTool',
    'defineHook',
    'defineTool',
    'explain',
    'fileTools',
    'languageModel',
    'limit',
    'safeTool',
    'task',
    'taskPlan',
    'userMessage',
  ]);
});

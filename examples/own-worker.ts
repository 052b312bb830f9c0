/** Everloop in a Worker and a Workflow of your own: one plugin, one function. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createFileBlobStore, defineAgent } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { EverloopPlugin } from '../src/worker.ts';
import type { wordCount } from './own-workflows.ts';

const model = scriptedModel([{ text: 'The sea is wide and deep.' }]);
const [address = '127.0.0.1:7233'] = process.argv.slice(2);
const taskQueue = `own-${crypto.randomUUID()}`;
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./own-workflows.ts', import.meta.url)),
  plugins: [
    new EverloopPlugin({
      agents: { writer: defineAgent({ model, instructions: 'Write.' }) },
      blobs: createFileBlobStore('.everloop/blobs'),
    }),
  ],
});

const client = new Client({ connection: await Connection.connect({ address }) });
const words = await worker.runUntil(() =>
  client.workflow.execute<typeof wordCount>('wordCount', {
    workflowId: crypto.randomUUID(),
    taskQueue,
    args: ['the sea'],
  }),
);

assert.equal(words, 6);
console.log(`${words} words`);
await client.connection.close();
await connection.close();

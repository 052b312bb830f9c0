/** A Worker in a process of its own, for tests that kill it. Answers the message `counts` with its cache's counts, and drains on `shutdown`. */
import { ModelContexts } from '../../src/activities/model-contexts.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { installRuntime } from '../../src/engine/runtime.ts';
import { createWorker } from '../../src/worker.ts';
import { crashAgents } from './crash-agents.ts';

const [address = '', taskQueue = '', baseURL = '', ledger = '', codePath = ''] =
  process.argv.slice(2);
installRuntime('ERROR');
const contexts = new ModelContexts();
const worker = await createWorker({
  connection: await connectWorker({ address }),
  namespace: 'default',
  taskQueue,
  profile: 'embedded',
  agents: crashAgents(ledger),
  providers: { 'openai-chat': { apiKey: 'test', baseURL } },
  contexts,
  worker: { shutdownGraceTime: '100ms', workflowBundle: { codePath } },
});
process.on('message', (message) => {
  if (message === 'counts') process.send?.({ counts: contexts.counts });
  if (message === 'shutdown') worker.shutdown();
});
process.on('disconnect', () => process.exit());
const running = worker.run();
process.send?.('ready');
await running;
process.exit();

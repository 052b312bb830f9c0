import { expect, it } from 'vitest';
import { bundleWorkflows, workflowsPath } from '../../src/engine/workflow-bundle.ts';

it('the Workflow bundle holds pure code only: chat, loop, workflows and Temporal, no schema library', async () => {
  const { code } = await bundleWorkflows(workflowsPath);
  const sources = new Set(
    [...code.matchAll(/"\.\/((?:src|node_modules)\/[^"?]+?)"/g)].map(([, path]) => path ?? ''),
  );
  const strangers = [...sources].filter(
    (path) =>
      !/^src\/(chat|loop|workflows)\//.test(path) &&
      !/^node_modules\/(@temporalio|ms|long|protobufjs|@protobufjs|nexus-rpc|@swc|iter|abort)/.test(
        path,
      ),
  );
  expect([...sources].filter((path) => path.startsWith('src/')).length).toBeGreaterThan(20);
  expect(strangers).toEqual([]);
});

it('the Workflow bundle is written for this Node: no helper stands for a spread or a private member', async () => {
  const { code } = await bundleWorkflows(workflowsPath);
  const helpers = [...code.matchAll(/node_modules\/@swc\/helpers\/[^"?]+/g)].map(([path]) => path);
  expect(code).toContain('#state');
  expect(helpers).toEqual([]);
});

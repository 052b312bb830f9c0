/**
 * A program of its own: `node download-temporal-cli <folder> <version>` lets the Temporal SDK
 * download its CLI. The SDK offers no download alone, so the server is started on a free port and
 * stopped; in a process of its own neither that nor the SDK's signal handlers touch the caller.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
if (downloadDir === undefined || version === undefined)
  throw new Error('usage: <folder> <version>');

// The caller holds the other end: when it dies, so does this process.
process.stdin.resume().once('end', () => process.exit(1));

try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', version, downloadDir } },
  });
  await environment.teardown();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

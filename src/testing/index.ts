/** The public names of `everloop/testing`: what people test their own agents and models with. */
export type { Script, ScriptedAnswer, ScriptedCall } from '../models/scripted.ts';
export { scriptedModel } from '../models/scripted.ts';
export type { AnthropicServer, AnthropicServerOptions } from './anthropic/anthropic-server.ts';
export { startAnthropicServer } from './anthropic/anthropic-server.ts';
export { assertReplays } from './assert-replays.ts';
export type {
  BlobStoreCheck,
  BlobStoreSubject,
  ConformanceBlobStore,
} from './blob-store-conformance.ts';
export { blobStoreConformance } from './blob-store-conformance.ts';
export type { RecordedRunCall } from './crash/recorded-calls.ts';
export type { KillPoint, NotedMoment, WorkerMoment } from './crash/worker-moment.ts';
export { historyBytesPerIteration } from './history-bytes.ts';
export type { CrashReport, KillWorkerOptions } from './kill-worker-at.ts';
export { killWorkerAt } from './kill-worker-at.ts';
export type {
  ConformanceCheck,
  ConformanceModel,
  ConformanceSubject,
} from './model-conformance.ts';
export { modelConformance } from './model-conformance.ts';
export type {
  OpenAiChatServer,
  OpenAiChatServerOptions,
} from './openai-chat/openai-chat-server.ts';
export { startOpenAiChatServer } from './openai-chat/openai-chat-server.ts';
export type {
  OpenAiResponsesServer,
  OpenAiResponsesServerOptions,
} from './openai-responses/openai-responses-server.ts';
export { startOpenAiResponsesServer } from './openai-responses/openai-responses-server.ts';
export type { CallLogLine, RecordedCall } from './provider-server/call-log.ts';
export type { Misbehaviour } from './provider-server/misbehaviour.ts';
export type { TestEngine, TestEngineOptions } from './test-engine.ts';
export { startTestEngine } from './test-engine.ts';
export type { FinishedRun, TestHarness, TestHarnessOptions } from './test-harness.ts';
export { startTestHarness } from './test-harness.ts';

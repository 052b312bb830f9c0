/** The public names of `everloop/testing`: what people test their own agents and models with. */
export type { Script, ScriptedAnswer, ScriptedCall } from '../models/scripted.ts';
export { scriptedModel } from '../models/scripted.ts';
export { assertReplays } from './assert-replays.ts';
export type {
  ConformanceCheck,
  ConformanceModel,
  ConformanceSubject,
} from './model-conformance.ts';
export { modelConformance } from './model-conformance.ts';
export type { CallLogLine, RecordedCall } from './openai-chat-call-log.ts';
export type { Misbehaviour } from './openai-chat-misbehaviour.ts';
export type { OpenAiChatServer, OpenAiChatServerOptions } from './openai-chat-server.ts';
export { startOpenAiChatServer } from './openai-chat-server.ts';

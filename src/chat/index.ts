/** The chat protocol for users of the package: everything said between users, models and tools. */
export type { Accumulator } from './accumulator.ts';
export { createAccumulator } from './accumulator.ts';
export type { ChatErrorCode } from './chat-error.ts';
export { ChatError, isChatError } from './chat-error.ts';
export type { SequencingFinding, SequencingProblem } from './check-sequencing.ts';
export { checkSequencing } from './check-sequencing.ts';
export { Citation } from './citation.ts';
export { encode, parse } from './codec.ts';
export type { DeltaMarks } from './create-delta.ts';
export {
  citationDelta,
  mediaDelta,
  reasoningDelta,
  refusalDelta,
  textDelta,
  toolCallDelta,
} from './create-delta.ts';
export { assistantMessage, systemMessage, toolMessage, userMessage } from './create-message.ts';
export {
  imageMimeTypes,
  imagePart,
  mediaPart,
  reasoningPart,
  refusalPart,
  textPart,
  toolCallPart,
  toolResultPart,
} from './create-part.ts';
export { jsonOutput, textOutput } from './create-tool-output.ts';
export { Extensions } from './extensions.ts';
export { FinishReason } from './finish-reason.ts';
export type { FittedMessages, ModelCapabilities } from './fit-to-model.ts';
export { fitToModel } from './fit-to-model.ts';
export { JsonObject, JsonValue } from './json.ts';
export type {
  CallOptions,
  LanguageModel,
  LanguageModelSource,
  LanguageModelWrapper,
} from './language-model.ts';
export { languageModel, wrapLanguageModel } from './language-model.ts';
export { Media, MediaSource } from './media.ts';
export { Message, Role } from './message.ts';
export { Metadata } from './metadata.ts';
export type { ModelErrorDetails, ModelErrorKind } from './model-error.ts';
export { ModelError } from './model-error.ts';
export { Options } from './options.ts';
export { createOutput, Output } from './output.ts';
export { jsonSchemaFormat, OutputFormat } from './output-format.ts';
export { Part } from './part.ts';
export { PartDelta } from './part-delta.ts';
export type { Adopt, Repair, Repaired } from './repair.ts';
export { missingToolResult, repair } from './repair.ts';
export { ReportEntry } from './report.ts';
export { assertRequest, createRequest, Request, validMessage } from './request.ts';
export { resolveOptions } from './resolve-options.ts';
export { createResponse, Response, ResponseMetadata } from './response.ts';
export { ResponseDelta } from './response-delta.ts';
export { textOf, toolOutputText } from './text-of.ts';
export { toMessage } from './to-message.ts';
export { ToolCall } from './tool-call.ts';
export { ToolChoice } from './tool-choice.ts';
export { ToolDefinition } from './tool-definition.ts';
export type { ToolInput } from './tool-input.ts';
export { toolInput } from './tool-input.ts';
export { ToolContent, ToolOutput } from './tool-output.ts';
export { ToolResult } from './tool-result.ts';
export { TranscriptMessage } from './transcript-message.ts';
export { Usage, UsageTotal } from './usage.ts';
export { addUsage, noUsage, totalTokens } from './usage-total.ts';
export { validate } from './validate.ts';

/** The public names of `everloop`: what people define agents with, and start and follow runs with. */
export { askUser } from './abilities/ask-user/ask-user.ts';
export { fileTools } from './abilities/file-tools/file-tools.ts';
export { limit } from './abilities/limit/limit.ts';
export { safeTool } from './abilities/safe-tool/safe-tool.ts';
export type { TaskOptions } from './abilities/task/task.ts';
export { task } from './abilities/task/task.ts';
export type { PlanVerdict } from './abilities/task-plan/task-plan.ts';
export { taskPlan } from './abilities/task-plan/task-plan.ts';
export type { AgentBudget, AtLimit } from './agents/agent-budget.ts';
export type { AgentDefinition, AgentOptions } from './agents/define-agent.ts';
export { defineAgent } from './agents/define-agent.ts';
export type { Hook, HookContext } from './agents/define-hook.ts';
export { defineHook } from './agents/define-hook.ts';
export { userMessage } from './chat/create-message.ts';
export type { LanguageModel, LanguageModelWrapper } from './chat/language-model.ts';
export { languageModel } from './chat/language-model.ts';
export type { Message } from './chat/message.ts';
export type { TranscriptMessage } from './chat/transcript-message.ts';
export type { UsageTotal } from './chat/usage.ts';
export type { ConnectOptions, StartOptions } from './client/everloop.ts';
export { Everloop } from './client/everloop.ts';
export { explain } from './client/explain.ts';
export type { RunFilter, RunSummary } from './client/list-runs.ts';
export type { SendOptions } from './client/run-handle.ts';
export { RunHandle } from './client/run-handle.ts';
export type { RunSnapshot } from './client/run-snapshot.ts';
export type { ConfigDefinition } from './config.ts';
export { defineConfig } from './config.ts';
export type { ConfigurationProblem, ErrorCode } from './everloop-error.ts';
export { ConfigurationError, EverloopError } from './everloop-error.ts';
export type { BudgetUse } from './loop/budget-use.ts';
export type { AnswerInput, DecideInput, PauseInput } from './loop/control.ts';
export type { RunEvent } from './loop/events.ts';
export type { RunResult } from './loop/run-result.ts';
export type { RunStatus } from './loop/run-status.ts';
export type { StopReason } from './loop/stop.ts';
export type { ModelPrice, ModelPrices } from './models/prices.ts';
export type { BlobStore } from './storage/blob-store.ts';
export { createFileBlobStore } from './storage/file-blob-store.ts';
export type {
  ApprovalPolicy,
  ExternalToolOptions,
  Tool,
  ToolContext,
  ToolOptions,
  ToolReturn,
} from './tools/define-tool.ts';
export { defineExternalTool, defineTool, RetryableError } from './tools/define-tool.ts';
export type { ToolRegistry } from './tools/tool-registry.ts';
export { createToolRegistry } from './tools/tool-registry.ts';
export type { ToolWrapper } from './tools/wrap-tool.ts';

/** The floor's Activities: they stream from the model and run tools; messages stay in this process. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createAccumulator } from '../../src/chat/accumulator.ts';
import type { LanguageModel } from '../../src/chat/language-model.ts';
import type { Message } from '../../src/chat/message.ts';
import type { ToolCall } from '../../src/chat/tool-call.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import type { Tool } from '../../src/tools/define-tool.ts';

/** What the Activities run with. */
export interface FloorAgent {
  readonly model: LanguageModel;
  readonly instructions: string;
  readonly tool: Tool;
  readonly heartbeatIntervalMs: number;
}

/** Makes the Activities of the floor's Worker. */
export function createFloorActivities(agent: FloorAgent) {
  const { name, description, inputSchema } = agent.tool;
  const transcripts = new Map<string, Message[]>();
  const results = new Map<string, Message>();
  const runId = () => Context.current().info.workflowExecution?.runId ?? '';
  const offered = { tools: [{ name, description, inputSchema }], options: {} };

  async function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const context = Context.current();
    const timer = setInterval(() => context.heartbeat(), agent.heartbeatIntervalMs);
    return await work(context.cancellationSignal).finally(() => clearInterval(timer));
  }

  return {
    /** Asks the model. `upTo` messages are here already; `append` names the tool results that follow. */
    floorCallModel: (input: { upTo: number; append: string[]; input?: string }) =>
      heartbeating(async (signal) => {
        const known = transcripts.get(runId()) ?? [
          { role: 'system', parts: [{ kind: 'text', text: agent.instructions }] },
          { role: 'user', parts: [{ kind: 'text', text: input.input ?? '' }] },
        ];
        const appended = input.append.flatMap((id) => results.get(`${runId()}/${id}`) ?? []);
        if (known.length < input.upTo || appended.length < input.append.length) {
          throw ApplicationFailure.nonRetryable('the Worker that held the transcript is gone');
        }
        const messages = [...known.slice(0, input.upTo), ...appended];
        const accumulator = createAccumulator();
        for await (const delta of agent.model.stream({ messages, ...offered }, { signal })) {
          accumulator.add(delta);
        }
        const { output, metadata } = accumulator.response();
        const message: Message = output.message ?? { role: 'assistant', parts: [] };
        transcripts.set(runId(), [...messages, message]);
        return { message, finishReason: output.finishReason, usage: metadata?.usage };
      }),

    /** Runs the tool of a call; its result is a message. */
    floorRunTool: ({ call }: { call: ToolCall }) =>
      heartbeating(async (signal): Promise<Message> => {
        const { info, log } = Context.current();
        const run = { id: runId(), iteration: 0, callId: call.id };
        const mute = { progress() {}, emit() {} };
        const told = { signal, idempotencyKey: call.id, attempt: info.attempt, run };
        const context = { ...told, ...mute, log, blobs: createMemoryBlobStore() };
        const text = String(await agent.tool.run(JSON.parse(call.arguments ?? '{}'), context));
        const output = { content: [{ kind: 'text' as const, text }] };
        const toolResult = { id: call.id, name: call.name, output };
        const message: Message = { role: 'tool', parts: [{ kind: 'tool_result', toolResult }] };
        results.set(`${runId()}/${call.id}`, message);
        return message;
      }),
  };
}

export type FloorActivities = ReturnType<typeof createFloorActivities>;

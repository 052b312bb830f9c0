/** What is asked of a model. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { Message } from './message.ts';
import { Options } from './options.ts';
import { ToolChoice } from './tool-choice.ts';
import { ToolDefinition } from './tool-definition.ts';
import { validate } from './validate.ts';

/** Messages already seen valid, so that a long transcript is not checked again with every call. */
const valid = new WeakSet<Message>();

const systemFirst = z.check<Message[]>((payload) => {
  const messages = payload.value;
  const index = messages.findIndex(
    (message, at) => at > 0 && message.role === 'system' && messages[at - 1]?.role !== 'system',
  );
  if (index < 0) return;
  payload.issues.push({
    code: 'custom',
    input: messages,
    path: [index],
    message: 'a system message must come before all others',
  });
});

const uniqueNames = z.check<ToolDefinition[]>((payload) => {
  const names = payload.value.map((tool) => tool.name);
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  if (index < 0) return;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    path: [index, 'name'],
    message: `"${names[index]}" names another tool already`,
  });
});

const choiceHasTool = z.check<{
  tools?: ToolDefinition[] | undefined;
  toolChoice?: ToolChoice | undefined;
}>((payload) => {
  const { tools = [], toolChoice } = payload.value;
  const problem = choiceProblem(tools, toolChoice);
  if (problem === undefined) return;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    path: ['toolChoice'],
    message: problem,
  });
});

function choiceProblem(
  tools: readonly ToolDefinition[],
  choice: ToolChoice | undefined,
): string | undefined {
  if (choice === undefined) return undefined;
  if (tools.length === 0) return 'needs at least one tool';
  if (choice.mode !== 'named' || tools.some((tool) => tool.name === choice.name)) return undefined;
  return `names "${choice.name}", which is not among the tools`;
}

function requestOf<Entry extends z.ZodMiniType<Message>>(entry: Entry) {
  return z
    .strictObject({
      messages: z.array(entry).check(z.minLength(1), systemFirst),
      tools: z.optional(z.array(ToolDefinition).check(uniqueNames)),
      toolChoice: z.optional(ToolChoice),
      options: z.optional(Options),
    })
    .check(choiceHasTool);
}

/**
 * Messages (system ones first), the tools on offer, and how to answer. Which results answer which calls
 * is not checked here (`checkSequencing`).
 */
export const Request = concept('invalid_request', requestOf(Message));
export type Request = z.infer<typeof Request>;

const KnownMessage = z.custom<Message>().check(
  z.check<Message>((payload) => {
    if (valid.has(payload.value)) return;
    const result = Message._zod.run({ value: payload.value, issues: [] }, {});
    if (result instanceof Promise) throw new TypeError('message schemas are synchronous');
    if (result.issues.length === 0) valid.add(payload.value);
    else for (const issue of result.issues) payload.issues.push(issue); // too many for one call's arguments
  }),
);

const KnownRequest = concept('invalid_request', requestOf(KnownMessage));

/**
 * An independent, valid request.
 *
 * @throws ChatError `invalid_request`.
 */
export function createRequest(input: z.input<typeof Request>): Request {
  const request = validate(Request, input);
  for (const message of request.messages) valid.add(message);
  return request;
}

/**
 * Checks a request, each message object only the first time it is seen.
 *
 * Contract: messages are data; one that was seen valid is not changed afterwards.
 *
 * @throws ChatError `invalid_request`.
 */
export function assertRequest(request: Request): void {
  validate(KnownRequest, request);
}

/**
 * An independent, valid message that later requests need not check again.
 *
 * @throws ChatError `invalid_message`.
 */
export function validMessage(value: unknown): Message {
  const message = validate(Message, value);
  valid.add(message);
  return message;
}

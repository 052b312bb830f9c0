/** Checks a value against a schema and turns the first thing wrong with it into a ChatError. */
import * as z from 'zod/mini';
import type { ChatErrorCode } from './chat-error.ts';
import { ChatError } from './chat-error.ts';
import { codeOf } from './concept.ts';

/** Members whose content is free-form JSON: what is wrong in there belongs to the concept around it. */
export const freeForm: ReadonlySet<PropertyKey> = new Set([
  'metadata',
  'messageMetadata',
  'extra',
  'details',
  'extensions',
  'inputSchema',
  'schema',
]);

/** Concepts by the member that holds one. */
const single: Readonly<Record<string, ChatErrorCode>> = {
  message: 'invalid_message',
  toolCall: 'invalid_tool_call',
  toolResult: 'invalid_tool_result',
  toolChoice: 'invalid_tool_choice',
  options: 'invalid_options',
  outputFormat: 'invalid_output_format',
  usage: 'invalid_usage',
  citation: 'invalid_citation',
};

/** Concepts by the member that holds a list of them. */
const listed: Readonly<Record<string, ChatErrorCode>> = {
  messages: 'invalid_message',
  tools: 'invalid_tool_definition',
  citations: 'invalid_citation',
};

/**
 * The value as the schema describes it: an independent deep copy with members in canonical order.
 *
 * @throws ChatError with the schema's code and the place of the first problem.
 */
export function validate<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = z.safeParse(schema, value, { error: describe });
  if (result.success) return result.data;
  throw toChatError(codeOf(schema), result.error.issues);
}

function toChatError(code: ChatErrorCode, issues: readonly z.core.$ZodIssue[]): ChatError {
  const issue = issues[0];
  if (issue === undefined) return new ChatError(code, '', 'is invalid');
  return new ChatError(code, toPath(issue.path), issue.message, nestedCodes(code, issue.path));
}

/** A path in the form `messages[1].parts[0].metadata["a/b"]`. */
function toPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(segment))) path += `.${String(segment)}`;
    else path += `[${JSON.stringify(String(segment))}]`;
  }
  return path.startsWith('.') ? path.slice(1) : path;
}

function nestedCodes(root: ChatErrorCode, path: readonly PropertyKey[]): ChatErrorCode[] {
  const nested: ChatErrorCode[] = [];
  let around = root;
  for (const [index, segment] of path.entries()) {
    if (freeForm.has(segment)) break;
    const code = codeAt(String(segment), around, typeof path[index + 1] === 'number');
    if (code === undefined) continue;
    nested.push(code);
    around = code;
  }
  return nested;
}

function codeAt(member: string, around: ChatErrorCode, inList: boolean): ChatErrorCode | undefined {
  if (member === 'output' && around === 'invalid_tool_result') return 'invalid_tool_output';
  // Parts of a delta are no message parts: they stay part of the response.
  if (member === 'parts')
    return inList && around === 'invalid_message' ? 'invalid_part' : undefined;
  return inList ? listed[member] : single[member];
}

/** Words for what zod finds; the mini build brings none. */
function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      if (issue.expected === 'int') return 'must be an integer';
      return `must be of type ${issue.expected}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `has the unknown member ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'array') return `must have at least ${issue.minimum} item`;
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_union':
      return 'must be of a known kind';
    default:
      return 'is invalid';
  }
}

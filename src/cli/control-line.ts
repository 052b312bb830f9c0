/** What people and sub-agents have to do with a run, one line of text for each event. */
import type { BudgetLimits } from '../loop/budget-limits.ts';
import { amountText } from '../loop/budget-text.ts';
import { limitNames } from '../loop/budget-use.ts';
import type { RunEvent } from '../loop/events.ts';
import { oneLine, shorten } from './format.ts';
import { printable } from './terminal.ts';
import { callText } from './waiting-calls.ts';

/** Longest text of a reason or a question. */
const textLength = 200;

/** The line for an event of that kind; undefined for any other event. */
export function controlLine(event: RunEvent): string | undefined {
  const line = lineOf(event);
  return line === undefined ? undefined : printable(line);
}

function lineOf({ type, data }: RunEvent): string | undefined {
  switch (type) {
    case 'approval-request': {
      const why = data.question === undefined ? '' : `: ${short(data.question)}`;
      return `? ${callText(data.name, data.input)} waits for approval${until(data.deadline)}${why}`;
    }
    case 'approval-decision':
      return decisionLine(data);
    case 'question':
      return `? ${callText(data.name, data.input)} waits for an answer${until(data.deadline)}`;
    case 'answer':
      if (data.status === 'answered') return `✓ ${data.name}: answered${by(data.by)}`;
      return `✗ ${data.name}: ${data.status === 'timeout' ? 'nobody answered in time' : overtaken}`;
    case 'budget-wait':
      return `? the run is at its budget and waits for more${until(data.deadline)}`;
    case 'budget-extended':
      return `✓ budget: ${limitsText(data)} more`;
    case 'paused':
      return `(paused${by(data.by)}${because(data.reason)})`;
    case 'resumed':
      return `(resumed${by(data.by)}${because(data.reason)})`;
    case 'child-start':
      return `→ sub-agent ${data.agent} starts: run ${data.runId}`;
    case 'child-end': {
      const mark = data.stopReason === 'completed' ? '✓' : '✗';
      return `${mark} sub-agent has ended (${data.stopReason ?? 'without a result'}): run ${data.runId}`;
    }
    case 'fork':
      return `(forked after message ${data.at}: ${data.runs.map((id) => `run ${id}`).join(', ')})`;
    case 'rewound': {
      const how = data.how === 'retried' ? 'tried again' : 'taken back';
      return `(${how} from the end of iteration ${data.toIteration}: what was told of later ones is void)`;
    }
    default:
      return undefined;
  }
}

const overtaken = 'not decided, something else came first';

function decisionLine({
  name,
  decision,
  input,
  reason,
  by: who,
}: Extract<RunEvent, { type: 'approval-decision' }>['data']): string {
  switch (decision) {
    case 'allow':
      return `✓ ${name}: allowed${by(who)}${because(reason)}`;
    case 'edit':
      return `✓ ${callText(name, JSON.stringify(input))}: allowed with this input${by(who)}${because(reason)}`;
    case 'deny':
      return `✗ ${name}: denied${by(who)}${because(reason)}`;
    case 'timeout':
      return `✗ ${name}: nobody decided in time`;
    case 'interrupted':
      return `✗ ${name}: ${overtaken}`;
  }
}

function limitsText(limits: BudgetLimits): string {
  const named = limitNames.flatMap((name) => {
    const amount = limits[name];
    return amount === undefined ? [] : [amountText(name, amount)];
  });
  return named.join(', ');
}

function by(who: string | undefined): string {
  return who === undefined ? '' : ` by ${short(who)}`;
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : `: ${short(reason)}`;
}

function until(deadline: number | undefined): string {
  return deadline === undefined ? '' : ` until ${new Date(deadline).toISOString()}`;
}

function short(text: string): string {
  return shorten(oneLine(text), textLength);
}

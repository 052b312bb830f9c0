import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { controlledPlans } from './controlled-plans.ts';
import { simulate } from './simulate.ts';
import { boundaries } from '../../src/history/state-at.ts';
import { toRunResult } from '../../src/loop/to-run-result.ts';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import { addUsage, noUsage } from '../../src/chat/usage-total.ts';
function diff(a: any, b: any, path = ''): string | undefined {
  if (isDeepStrictEqual(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return `${path}: projected ${JSON.stringify(a)?.slice(0,150)} workflow ${JSON.stringify(b)?.slice(0,150)}`;
  for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) { const d = diff(a[k], b[k], path + '.' + k); if (d) return d; }
  return path;
}
export function check(plan: any): string | undefined {
  let sim;
  try { sim = simulate(plan); } catch (e: any) { return 'simulate: ' + e.message + ' ' + e.stack.split('\n').slice(1, 5).map((l: string) => l.trim().replace(/.*\/main\//, '')).join(' < '); }
  const { boundaries: seen, histories, final, messages, afterTools, accepted, usages } = sim;
  let proj;
  try { proj = histories.flatMap((events) => boundaries({ runId: 'run', events })); } catch (e: any) { return 'project: ' + e.message + ' ' + e.stack.split('\n').slice(1, 5).map((l: string) => l.trim().replace(/.*\/main\//, '')).join(' < '); }
  const d = diff(proj, seen);
  if (d) return 'differs ' + d;
  for (const { transcript } of [...afterTools, final]) {
    const p = checkSequencing(messages.slice(0, transcript.count).map(toMessage));
    if (p.length) return 'sequencing ' + JSON.stringify(p);
  }
  const delivered = messages.flatMap((m: any) => { const [, id] = m.id.split(/received\/\d+\//); return id === undefined ? [] : [id]; });
  if (!isDeepStrictEqual([...delivered, ...toRunResult(final).undelivered], accepted)) return 'messages';
  const ids = messages.map((m: any) => m.id);
  if (new Set(ids).size !== ids.length) return 'ids ' + ids.filter((x: string, i: number) => ids.indexOf(x) !== i);
  if (!isDeepStrictEqual(final.usage, usages.reduce(addUsage, noUsage)) || final.modelCalls !== usages.length) return 'usage';
  if (final.pendingToolCalls.length) return 'open calls';
  if (JSON.stringify(final).includes('null-never')) return 'not json ' + diff(JSON.parse(JSON.stringify(final)), final);
  if (final.iteration > plan.agent.maxIterations) return 'iterations';
  if (final.cancelRequested && final.stop?.reason !== 'cancelled') return 'cancel reason ' + final.stop?.reason;
  return undefined;
}
if (process.argv[2]) {
  const seed = Number(process.argv[2]); const n = Number(process.argv[3] ?? 2000);
  const kinds = new Map<string, number>(); const stops = new Map<string, number>(); let shown = 0;
  for (const plan of fc.sample(controlledPlans, { seed, numRuns: n })) {
    const p = check(plan);
    if (p) { const key = p.replace(/\d+/g, '#').slice(0, 90); kinds.set(key, (kinds.get(key) ?? 0) + 1); if (kinds.get(key) === 1 && shown++ < 12) console.log(p.slice(0, 600)); }
    else { const r = simulate(plan).final.stop!.reason; stops.set(r, (stops.get(r) ?? 0) + 1); }
  }
  console.log(kinds, stops);
}

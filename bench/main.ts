/** `npm run bench -- <scenario> [--json]`: measures Everloop against the floor and says whether its numbers hold. */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { installRuntime } from '../src/engine/runtime.ts';
import { assertFloorIsSmall } from './floor-size.ts';
import { toJsonReport, toLines } from './report.ts';
import { outcomeHolds } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const [name] = positionals;
const scenario = scenarios.find((each) => each.name === name);

if (scenario === undefined) {
  for (const each of scenarios) console.log(`${each.name.padEnd(12)}${each.title}`);
  if (name !== undefined) console.error(`there is no scenario named ${name}`);
  process.exitCode = name === undefined ? 0 : 2;
} else {
  installRuntime('ERROR');
  const floorLines = assertFloorIsSmall();
  console.log(`${scenario.name}: ${scenario.title} (floor: ${floorLines} lines)`);
  const began = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  const outcome = await scenario.run((line) => console.log(`  … ${line}`));
  const seconds = (performance.now() - began) / 1_000;
  for (const line of toLines(outcome)) console.log(line);
  console.log(
    '  [low, high] is the 95 % interval of the median: percentile bootstrap, fixed random seed',
  );
  console.log(
    `  took ${seconds.toFixed(0)} s; load of the machine ${loadBefore.toFixed(2)} before, ${(loadavg()[0] ?? 0).toFixed(2)} after`,
  );
  console.log(outcomeHolds(outcome) ? 'holds' : 'does not hold');
  if (values.json) console.log(JSON.stringify(toJsonReport(scenario.name, outcome)));
  process.exitCode = outcomeHolds(outcome) ? 0 : 1;
}

/** Whether the ports that `everloop dev` wants are free, or used by the project's own engine. */
import { devServerHost } from '../../engine/dev-server-settings.ts';
import type { EngineState } from '../../engine/engine-state.ts';
import { checkPort } from '../../engine/ports.ts';
import type { Finding } from './finding.ts';
import { ok, warning } from './finding.ts';

/** Who has a port. */
export interface PortFacts {
  readonly port: number;
  /** What it is for. */
  readonly use: string;
  readonly holder: 'nobody' | 'own engine' | 'other';
}

/** Ports that are the same each time; the engine itself takes any free one. */
const wanted = [{ port: 8233, use: 'Temporal UI' }] as const;

/** @param state of the project's engine, when it is running */
export async function gatherPorts(state: EngineState | undefined): Promise<PortFacts[]> {
  return await Promise.all(
    wanted.map(async ({ port, use }) => {
      const isFree = await checkPort(devServerHost, port).then(
        () => true,
        () => false,
      );
      const isOwn = state?.uiAddress?.endsWith(`:${port}`) === true;
      return { port, use, holder: isOwn ? 'own engine' : isFree ? 'nobody' : 'other' } as const;
    }),
  );
}

/** One finding per port. */
export function portFindings(facts: readonly PortFacts[]): Finding[] {
  return facts.map(({ port, use, holder }) => {
    if (holder === 'nobody') return ok('ports', `port ${port} (${use}) is free`);
    if (holder === 'own engine')
      return ok('ports', `port ${port} (${use}) is used by this project's engine`);
    return warning(
      'ports',
      `port ${port} (${use}) is used by another program: everloop dev does without`,
      `find it with lsof -i :${port}, and stop it if you want the ${use}`,
    );
  });
}

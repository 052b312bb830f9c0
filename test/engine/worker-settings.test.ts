import { msToNumber } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { heartbeatSettings, workerSettings } from '../../src/engine/worker-settings.ts';

describe.each(['embedded', 'cluster'] as const)('the %s profile', (profile) => {
  it('heartbeats several times within the timeout, and throttles no beat', () => {
    const { intervalMs, timeoutMs } = heartbeatSettings(profile);
    expect(timeoutMs / intervalMs).toBeGreaterThanOrEqual(4);
    const settings = workerSettings(profile);
    expect(msToNumber(settings.maxHeartbeatThrottleInterval)).toBeLessThanOrEqual(intervalMs);
    expect(msToNumber(settings.defaultHeartbeatThrottleInterval)).toBeLessThanOrEqual(intervalMs);
  });

  it('gives a call a minute to end at shutdown, and starts 16 Activities eagerly', () => {
    expect(workerSettings(profile)).toMatchObject({
      shutdownGraceTime: '60 seconds',
      maxEagerActivityReservationsPerWorkflowTask: 16,
    });
  });
});

it('the embedded profile notices a killed Worker sooner than the cluster profile', () => {
  const [embedded, cluster] = (['embedded', 'cluster'] as const).map((profile) => ({
    sticky: msToNumber(workerSettings(profile).stickyQueueScheduleToStartTimeout),
    heartbeat: heartbeatSettings(profile).timeoutMs,
  }));
  expect(embedded).toEqual({ sticky: 1_000, heartbeat: 5_000 });
  expect(cluster).toEqual({ sticky: 5_000, heartbeat: 20_000 });
});

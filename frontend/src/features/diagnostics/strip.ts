import type { CallPointData, CallSeriesData } from '@/api/generated/core.gen';

export type Step = 'MINUTE' | 'HOUR';

/** The current period is not over: its calls would look like a fall. */
export function lastWhole(points: readonly CallPointData[]): CallPointData | undefined {
  return points.at(-2);
}

/** Failed calls as a part of all; null without calls. */
export function failedPart({ calls, failedCalls }: Pick<CallPointData, 'calls' | 'failedCalls'>): number | null {
  return calls > 0 ? failedCalls / calls : null;
}

const seconds = (milliseconds: number | null) => (milliseconds === null ? null : milliseconds / 1000);

export interface Lines {
  /** Seconds since 1970. */
  times: number[];
  calls: number[];
  failed: number[];
  median: (number | null)[];
  p95: (number | null)[];
  amount: number[];
}

/** Latencies are in seconds. Without the current period. */
export function linesOf({ points }: CallSeriesData): Lines {
  const whole = points.slice(0, -1);
  return {
    times: whole.map(({ timestamp }) => timestamp / 1000),
    calls: whole.map(({ calls }) => calls),
    failed: whole.map(({ failedCalls }) => failedCalls),
    median: whole.map(({ medianLatencyMs }) => seconds(medianLatencyMs)),
    p95: whole.map(({ p95LatencyMs }) => seconds(p95LatencyMs)),
    amount: whole.map(({ amount }) => amount),
  };
}

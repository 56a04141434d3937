import type { Answered } from '@/lib/predict/predict';

export type TimePart = 'wake' | 'queue' | 'model' | 'rest' | 'together';

/**
 * What a call spent its time on, in milliseconds and in order; parts without time are left out. `rest`: network and gateway; `together`: these and the service,
 * which does not report its time.
 * The parts add up to the whole: the service's own figure is bounded by what was measured here.
 */
export function timeSplit({
  totalMs,
  serviceMs,
  wait,
}: Pick<Answered, 'totalMs' | 'serviceMs' | 'wait'>): { part: TimePart; ms: number }[] {
  const waited = Math.min(wait?.ms ?? 0, totalMs);
  const model = Math.min(serviceMs ?? 0, totalMs - waited);
  const parts: { part: TimePart; ms: number }[] = [
    { part: wait?.phase === 'start' ? 'wake' : 'queue', ms: waited },
    { part: 'model', ms: model },
    { part: serviceMs === null ? 'together' : 'rest', ms: totalMs - waited - model },
  ];
  return parts.filter(({ ms }) => ms > 0);
}

import type { TFunction } from 'i18next';

import type { ScalingDecisionData } from '@/api/generated/core.gen';
import type { ChartMark } from '@/components/charts/Overlays';

const MILLI = 1000;

/** Decisions as marks of a chart. */
export function marksOf(decisions: readonly ScalingDecisionData[], t: TFunction<'Monitoring'>): ChartMark[] {
  return decisions.map(({ decidedAt, kind, before, after }) => ({
    time: decidedAt / MILLI,
    text: `${t(`kind.${kind}`)}: ${before} → ${after}`,
    kind: kind === 'NEED_SCALE_UP' || kind === 'HELD' ? 'trouble' : after > before ? 'up' : 'down',
  }));
}

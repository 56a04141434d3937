import type { ModelInfoData } from '@/api/generated/core.gen';
import { kept, pageLanguage } from '@/lib/format/language';

const percents = kept((language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }));

/** Rounded down: one failure in ten thousand calls is not 100 %. */
export function formatRate(rate: number, language = pageLanguage()): string {
  return percents(language).format(Math.floor(rate * 1000 + 1e-9) / 1000);
}

/** Measured, else as the owner states it; null if nobody knows. */
export function startSecondsOf({
  measuredStartTimeSec,
  startTimeSec,
}: Pick<ModelInfoData, 'measuredStartTimeSec' | 'startTimeSec'>): number | null {
  return measuredStartTimeSec ?? startTimeSec;
}

import type { LicenseData } from '@/api/first/generated/core.gen';
import { isMoment, timeLeft, type TimeLeft } from '@/lib/format/time';

/** The fields of a licence that the banner uses. */
export type Licence = Pick<
  LicenseData,
  | 'licenseExpiredOrInvalid'
  | 'hardLimitsAreExceeded'
  | 'softLimitsAreExceeded'
  | 'licenseExpiresSoon'
  | 'licenseEnds'
  | 'daysLeftBeforeHardLimits'
>;

export type LicenceBanner =
  | { kind: 'invalid' | 'hard'; tone: 'danger' }
  | { kind: 'soft' | 'ends'; tone: 'warning'; left: TimeLeft | null };

const DAY_MS = 24 * 3_600_000;

/** The first condition that applies, in this order; none without a licence. */
export function licenceBanner(licence: Licence | null, now: Date): LicenceBanner | null {
  if (!licence) return null;
  if (licence.licenseExpiredOrInvalid) return { kind: 'invalid', tone: 'danger' };
  if (licence.hardLimitsAreExceeded) return { kind: 'hard', tone: 'danger' };
  if (licence.softLimitsAreExceeded) {
    const days = licence.daysLeftBeforeHardLimits;
    return {
      kind: 'soft',
      tone: 'warning',
      left: days === null ? null : timeLeft(new Date(now.getTime() + days * DAY_MS), now),
    };
  }
  if (licence.licenseExpiresSoon) {
    // The shown day is the last valid one.
    const ends =
      licence.licenseEnds === null || !isMoment(licence.licenseEnds)
        ? null
        : new Date(new Date(licence.licenseEnds).getTime() + DAY_MS);
    return { kind: 'ends', tone: 'warning', left: ends && timeLeft(ends, now) };
  }
  return null;
}

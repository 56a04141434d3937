import { expect, test } from 'vitest';

import { type Licence, licenceBanner } from './licence';

const NOW = new Date('2026-11-21T12:00:00Z');
const FINE: Licence = {
  licenseExpiredOrInvalid: false,
  hardLimitsAreExceeded: false,
  softLimitsAreExceeded: false,
  licenseExpiresSoon: false,
  licenseEnds: '2026-11-25T12:00:00Z',
  daysLeftBeforeHardLimits: 3,
};
const ALL: Licence = {
  ...FINE,
  licenseExpiredOrInvalid: true,
  hardLimitsAreExceeded: true,
  softLimitsAreExceeded: true,
  licenseExpiresSoon: true,
};

test('the first condition wins', () => {
  const order = [
    'licenseExpiredOrInvalid',
    'hardLimitsAreExceeded',
    'softLimitsAreExceeded',
    'licenseExpiresSoon',
  ] as const;
  const kinds = [];
  const licence = { ...ALL };
  for (const condition of order) {
    kinds.push(licenceBanner(licence, NOW)?.kind);
    licence[condition] = false;
  }
  expect(kinds).toEqual(['invalid', 'hard', 'soft', 'ends']);
  expect(licenceBanner(licence, NOW)).toBeNull();
});

test('without a licence nothing is said', () => {
  expect(licenceBanner(null, NOW)).toBeNull();
});

test.each([
  [3, { unit: 'days', count: 3 }],
  [0.5, { unit: 'hours', count: 12 }],
  [0, { unit: 'hours', count: 0 }],
  [null, null],
])('%s days before the limits are hard', (days, left) => {
  expect(licenceBanner({ ...FINE, softLimitsAreExceeded: true, daysLeftBeforeHardLimits: days }, NOW)).toMatchObject({
    left,
  });
});

test('the end of a licence is counted to the day after', () => {
  expect(licenceBanner({ ...FINE, licenseExpiresSoon: true }, NOW)).toMatchObject({ left: { unit: 'days', count: 5 } });
  expect(licenceBanner({ ...FINE, licenseExpiresSoon: true, licenseEnds: '2026-11-20T20:30:00Z' }, NOW)).toMatchObject({
    left: { unit: 'hours', count: 9 },
  });
});

test('a licence whose end is no day ends soon without a count', () => {
  expect(licenceBanner({ ...FINE, licenseExpiresSoon: true, licenseEnds: 'soon' }, NOW)).toEqual({
    kind: 'ends',
    tone: 'warning',
    left: null,
  });
});

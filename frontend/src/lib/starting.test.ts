import { expect, test } from 'vitest';

import { roughly } from './starting';

test.each([
  [0.2, { unit: 's', count: 1 }], [41.6, { unit: 's', count: 42 }], [59.6, { unit: 'm', count: 1 }], [150, { unit: 'm', count: 3 }],
  [3599, { unit: 'h', count: 1 }], [7200, { unit: 'h', count: 2 }],
])('%d seconds are about %o', (seconds, told) => {
  expect(roughly(seconds)).toEqual(told);
});

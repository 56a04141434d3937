import { expect, test } from 'vitest';

import { addressOf } from './ConnectionGuide';

test.each([
  ['ml.example.org', 443, 'https://ml.example.org'],
  ['ml.example.org', 8080, 'http://ml.example.org:8080'],
  ['2606:4700::1111', 80, 'http://[2606:4700::1111]:80'],
])('%s at %i is called as %s', (httpHost, httpPort, address) => {
  expect(addressOf({ httpHost, httpPort })).toBe(address);
});

import { expect, test } from 'vitest';

import { addressOf, variablesOf } from './ConnectionGuide';

test.each([
  ['ml.example.org', 443, 'https://ml.example.org'],
  ['ml.example.org', 8080, 'http://ml.example.org:8080'],
  ['2606:4700::1111', 80, 'http://[2606:4700::1111]:80'],
])('%s at %i is called as %s', (httpHost, httpPort, address) => {
  expect(addressOf({ httpHost, httpPort })).toBe(address);
});

test('the file of variables has none that only a shell fills in', () => {
  expect(variablesOf({ envVariables: { MLP_MODEL_ID: '1', HOSTNAME: '$(hostname)', PRICE: '$5' } })).toBe(
    'MLP_MODEL_ID=1\nPRICE=$5',
  );
});

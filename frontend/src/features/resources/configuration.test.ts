import { load } from 'js-yaml';
import { expect, test } from 'vitest';

import { agentConfig, configurationOf } from './configuration';

test('what is typed stays a text, whatever it is', () => {
  const description = 'a: "b"\nprovider: other # & * !';
  expect(load(configurationOf({ description, maxInstances: 3 }))).toEqual({
    provider: 'hosting_server',
    description,
    maxInstances: 3,
  });
});

test('what is left open is not there', () => {
  expect(load(configurationOf({ description: '', maxInstances: null }))).toEqual({ provider: 'hosting_server' });
});

test('the agent gets its token', () => {
  expect(JSON.parse(agentConfig('https://x.example', 't-1'))).toMatchObject({
    platform_url: 'https://x.example',
    enrolment_token: 't-1',
  });
});

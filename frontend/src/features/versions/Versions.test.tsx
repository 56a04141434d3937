import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import type { FieldChange, ModelVersionData } from '@/api/generated/core.gen';
import { useSession } from '@/lib/session';
import en from '@/locales/en.json';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { Versions } from './Versions';

const PATH = '/api/mlpcore/account/5/model/3/versions';
const changed = (
  field: string,
  before: FieldChange['before'],
  after: FieldChange['after'],
  part: Partial<FieldChange> = {},
): FieldChange => ({ field, hidden: false, before, after, beforeLength: null, afterLength: null, ...part });
const hidden = (field: string) => changed(field, null, null, { hidden: true });
const versionOf = (version: number, part: Partial<ModelVersionData> = {}): ModelVersionData => ({
  version,
  occurredAt: '2026-11-20T10:00:00Z',
  userId: 7,
  author: 'ann@example.org',
  kind: 'SETTINGS_CHANGED',
  restoredVersion: null,
  changes: [],
  ...part,
});
const paged = (...records: ModelVersionData[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 20 },
  records,
});

function Known() {
  return useSession().state === 'signed-in' ? <Versions account="5" model="3" /> : null;
}

function open(...records: ModelVersionData[]) {
  signedIn();
  answers(PATH, paged(...records));
  show(<Known />);
}

const row = (name: RegExp) => screen.findByRole('row', { name });

test('each version says who changed what, in the words of the settings', async () => {
  open(
    versionOf(4, {
      changes: [
        changed('resourceLimits.memoryLimit', '1Gi', '2Gi'),
        changed('prototype', false, true),
        changed('startTimeSec', null, 25_000),
        changed('hostingType', 'AUTOMATIC', 'EXTERNAL'),
      ],
    }),
    versionOf(3, {
      kind: 'PRICE_CHANGED',
      changes: [
        changed('billingSettings.billingUnitPriceInCurrency', null, '1250.5'),
        changed('billingSettings.currency', 'TOKEN', 'RUBLE'),
      ],
    }),
    versionOf(2, {
      kind: 'RESTORED',
      restoredVersion: 1,
      author: 'API key CI',
      changes: [
        changed('resourceLimits.serverLabels.zone', 'a', null),
        changed('secretEnv.PASS', null, 'LLM'),
        changed('someday', 1, 2),
      ],
    }),
  );
  const newest = await row(/Settings changed/);
  for (const text of [
    'Memory: 1Gi → 2Gi',
    'Prototype: off → on',
    `Hosting: ${en.Settings.option.hostingType.AUTOMATIC} → ${en.Settings.option.hostingType.EXTERNAL}`,
    'ann@example.org',
  ])
    expect(newest).toHaveTextContent(text);
  expect(newest).toHaveTextContent(/Start takes about: not set → 25\s000/);
  const priced = screen.getByRole('row', { name: /Billing changed/ });
  expect(priced).toHaveTextContent(/Price of a unit: not set → 1\s?,?250\.5/u);
  expect(priced).toHaveTextContent('Currency: Tokens → Roubles');
  const restored = screen.getByRole('row', { name: /Version 1 restored/ });
  expect(restored).toHaveTextContent('API key CI');
  expect(restored).toHaveTextContent('Labels of servers, zone: a → not set');
  expect(restored).toHaveTextContent('Variables with secrets, PASS: not set → LLM');
  expect(restored).toHaveTextContent('someday: 1 → 2');
});

test('of a hidden value there is only that it changed', async () => {
  open(versionOf(2, { changes: [hidden('env.API_KEY'), hidden('caching.mongoUri')] }));
  const found = await row(/Settings changed/);
  expect(found).toHaveTextContent('Environment variables, API_KEY: changed, the value is hidden');
  expect(found).toHaveTextContent('Address of MongoDB: changed, the value is hidden');
});

test('long values are folded, and a cut one says how long it was', async () => {
  open(versionOf(2, { changes: [changed('config', '{}', 'x'.repeat(500), { afterLength: 70_000 })] }));
  const found = await row(/Settings changed/);
  const folded = within(found).getByText('Config of the service: changed').closest('details');
  expect(folded).not.toHaveAttribute('open');
  expect(folded).toHaveTextContent(/After: the beginning of 70\s000 characters/);
  expect(folded).toHaveTextContent(`${'x'.repeat(500)}…`);
});

test('what the team moved and what nobody recorded has no author', async () => {
  open(
    versionOf(2, { kind: 'MOVED', author: null, userId: null }),
    versionOf(1, { kind: 'UNRECORDED', author: null, userId: null }),
  );
  expect(await row(/Moved to another resource group/)).toHaveTextContent("The platform's team");
  expect(screen.getByRole('row', { name: /State that was found/ })).toHaveTextContent('Not recorded');
});

test('a service without versions says when there will be one', async () => {
  open();
  expect(await screen.findByText('No versions yet')).toBeInTheDocument();
});

test('the newest version has nothing to restore; another one asks and says what changes now', async () => {
  open(versionOf(2), versionOf(1, { kind: 'CREATED' }));
  answers(`${PATH}/1`, {
    ...versionOf(1, { kind: 'CREATED' }),
    restoring: [changed('resourceLimits.memoryLimit', '2Gi', '1Gi')],
  });
  let sent = 0;
  server.use(http.post(`*${PATH}/1/restore`, () => ((sent += 1), HttpResponse.json({}))));
  await row(/Settings changed/);
  expect(screen.queryByRole('button', { name: 'Restore version 2' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Restore version 1' }));
  const dialog = await screen.findByRole('dialog', { name: 'Restore version 1?' });
  expect(await within(dialog).findByText('Memory: 2Gi → 1Gi')).toBeInTheDocument();
  expect(dialog).toHaveTextContent('Access, prices and hidden values stay as they are');
  expect(sent).toBe(0);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Restore' }));
  expect(await screen.findByText(/The settings are those of version 1 again/)).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Restore version 1?' })).not.toBeInTheDocument());
  expect(sent).toBe(1);
});

test('a version that is like the present settings cannot be restored', async () => {
  open(versionOf(2), versionOf(1));
  answers(`${PATH}/1`, { ...versionOf(1), restoring: [] });
  await userEvent.click(await screen.findByRole('button', { name: 'Restore version 1' }));
  const dialog = await screen.findByRole('dialog');
  expect(await within(dialog).findByText(/there is nothing to restore/)).toBeInTheDocument();
  expect(within(dialog).queryByRole('button', { name: 'Restore' })).not.toBeInTheDocument();
});

test('a refused restoration names the field and stays open', async () => {
  open(versionOf(2), versionOf(1));
  answers(`${PATH}/1`, { ...versionOf(1), restoring: [changed('imageId', 5, 4)] });
  server.use(
    http.post(`*${PATH}/1/restore`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { imageId: 'not found' } },
        { status: 400 },
      ),
    ),
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Restore version 1' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Restore' }));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('imageId');
  expect(screen.getByRole('dialog')).toBeInTheDocument();
});

test('members who may not change the service are told so, and nothing is asked', async () => {
  let asked = 0;
  signedIn({ accountOwner: false, permissions: ['MLP_USER'] });
  server.use(http.get(`*${PATH}`, () => ((asked += 1), HttpResponse.json(paged()))));
  show(<Known />);
  expect(await screen.findByText('Developers see the versions')).toBeInTheDocument();
  expect(asked).toBe(0);
});

test('each kind that the server records has a text', () => {
  const { components } = JSON.parse(readFileSync('src/api/openapi/mlpcore.json', 'utf8')) as {
    components: { schemas: { VersionKind: { enum: string[] } } };
  };
  expect(Object.keys(en.Versions.kind).toSorted()).toEqual(components.schemas.VersionKind.enum.toSorted());
});

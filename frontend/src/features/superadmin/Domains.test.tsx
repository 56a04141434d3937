import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { DomainOption } from '@/api/generated/accounts.gen';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { Domains } from './Domains';

const PATH = '/api/accountsadmin/admin/domains';
const CLOUD: DomainOption = {
  domain: 'cloud.example.org',
  product: 'mlp',
  internalUserUiAvailable: false,
  ownerOnly: true,
};
const save = () => screen.findByRole('button', { name: 'Save' });

test('all domains are saved together, once each has a name', async () => {
  let sent: unknown;
  answers(PATH, { domains: [CLOUD] });
  server.use(
    http.put(`*${PATH}`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(sent as object))),
  );
  show(<Domains />);
  const add = await screen.findByRole('button', { name: 'Add a domain' });
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  await userEvent.click(add);
  await userEvent.click(await save());
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  expect(sent).toBeUndefined();
  const [, added] = screen.getAllByRole('textbox', { name: 'Domain' });
  if (!added) throw new Error('a row was added');
  fireEvent.change(added, { target: { value: 'ml.example.org' } });
  await userEvent.click(await save());
  await waitFor(() =>
    expect(sent).toEqual({
      domains: [CLOUD, { domain: 'ml.example.org', product: 'mlp', internalUserUiAvailable: false, ownerOnly: false }],
    }),
  );
});

test('one that is removed is gone when it is saved', async () => {
  let sent: unknown;
  answers(PATH, { domains: [CLOUD] });
  server.use(
    http.put(`*${PATH}`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(sent as object))),
  );
  show(<Domains />);
  await userEvent.click(await screen.findByRole('button', { name: /cloud\.example\.org/ }));
  expect(await screen.findByText('No domains: every host is for everybody.')).toBeInTheDocument();
  await userEvent.click(await save());
  await waitFor(() => expect(sent).toEqual({ domains: [] }));
});

test('what is refused keeps what was typed', async () => {
  answers(PATH, { domains: [CLOUD] });
  server.use(
    http.put(`*${PATH}`, () =>
      HttpResponse.json(refusal('mlp.core.validation_error', 400, 'two are the same'), { status: 400 }),
    ),
  );
  show(<Domains />);
  fireEvent.change(await screen.findByRole('textbox', { name: 'Domain' }), { target: { value: 'other.example.org' } });
  await userEvent.click(await save());
  expect(await screen.findByText(/two are the same/)).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Domain' })).toHaveValue('other.example.org');
});

test('an error of the server stands at the row that it names', async () => {
  answers(PATH, { domains: [CLOUD] });
  server.use(
    http.put(`*${PATH}`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400, 'bad input'), args: { 'domains.0.domain': 'is no host name' } },
        { status: 400 },
      ),
    ),
  );
  show(<Domains />);
  fireEvent.change(await screen.findByRole('textbox', { name: 'Domain' }), { target: { value: '?' } });
  await userEvent.click(await save());
  expect(await screen.findByText('is no host name')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});

import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers, refusal, signedIn } from '@/testing/server';

import { EventsTab } from './EventsTab';

const PATH = '/api/mlpcore/account/5/model/counter/logs';
const EVENT = {
  recordId: 1,
  timestamp: 1_763_726_400_000,
  level: 'INFO',
  code: 'of.tomorrow',
  args: {},
  message: 'not known yet',
};

function open(body: object, status = 200) {
  signedIn();
  answers(PATH, body as never, status);
  show(<EventsTab account="5" model="counter" />);
}

test('an event has its level and what happened', async () => {
  open([EVENT]);
  expect(await screen.findByText('not known yet')).toBeInTheDocument();
  expect(screen.getAllByText('Info').length).toBeGreaterThan(0);
});

test('a level without events leads back to all levels', async () => {
  open([EVENT]);
  await userEvent.click(await screen.findByRole('combobox', { name: 'Level' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Error', hidden: true }));
  expect(await screen.findByText('Nothing found')).toBeInTheDocument();
  const back = screen.getAllByRole('button', { name: 'Any level' }).at(-1);
  if (back) await userEvent.click(back);
  expect(await screen.findByText('not known yet')).toBeInTheDocument();
});

test('a service without events says what would be here', async () => {
  open([]);
  expect(await screen.findByText('Nothing happened yet')).toBeInTheDocument();
});

test('a refusal is said, and read again', async () => {
  open(refusal('mlp.core.unavailable', 503), 503);
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeInTheDocument();
});

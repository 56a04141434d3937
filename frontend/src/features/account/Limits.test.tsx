import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, signedIn } from '@/testing/server';

import { Limits } from './Limits';

/** Member pages render only after the user is known. */
function Known() {
  return useSession().state === 'signed-in' ? <Limits /> : null;
}

const PATH = `/api/mlpcore/account/${ANN.accountId}`;

test('each limit is shown with what instances use of it', async () => {
  signedIn();
  answers(PATH, { limits: { storageLimit: '10Gi', predictPerSec: 25, fitPerMinute: 5 } });
  answers(`${PATH}/limits/use`, [
    { limit: 'cpuLimit', allowed: 4000, used: 1500 },
    { limit: 'memoryLimit', allowed: 8192, used: 2048 },
    { limit: 'baseModelInstanceLimit', allowed: 5, used: 5 },
  ]);
  show(<Known />);
  expect(await screen.findByRole('meter', { name: 'CPU' })).toHaveAttribute('aria-valuetext', 'Reserved 1.5, Free 2.5');
  expect(screen.getByRole('meter', { name: 'Instances of base services' })).toHaveAttribute(
    'aria-valuetext',
    'Reserved 5, Free 0',
  );
  expect(screen.getByText('2 GiB of 8 GiB')).toBeInTheDocument();
  expect(await screen.findByText('25')).toBeInTheDocument();
  expect(screen.getByText('10 GiB')).toBeInTheDocument();
});

test('a refusal is said, and the rest is shown', async () => {
  signedIn();
  answers(PATH, { limits: { storageLimit: '10Gi', predictPerSec: 25, fitPerMinute: 5 } });
  answers(`${PATH}/limits/use`, refusal('mlp.core.access_denied', 403), 403);
  show(<Known />);
  expect(await screen.findByRole('alert')).toBeInTheDocument();
  expect(await screen.findByText('25')).toBeInTheDocument();
});

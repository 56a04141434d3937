import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { signedOut } from '@/testing/server';

import { ModelCard } from '../ModelCard';
import CompareTray from './CompareTray';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const catalogue = () =>
  show(
    <>
      <CompareTray />
      {NAMES.map((modelName, index) => (
        <ModelCard
          key={modelName}
          model={modelOf({
            id: { accountId: 9, modelId: index },
            modelName,
            displayName: modelName,
            callStatistics: null,
            fittable: false,
          })}
          taskName="Other"
        />
      ))}
    </>,
    { path: '/catalog?search=x' },
  );

beforeEach(signedOut);

test('up to four cards are chosen, and the address keeps them', async () => {
  const { history } = catalogue();
  expect(screen.queryByRole('checkbox')).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Compare' }));
  for (const name of NAMES.slice(0, 4))
    await userEvent.click(await screen.findByRole('checkbox', { name: `Compare ${name}` }));
  expect(history.location.search).toBe('?search=x&compare=acme%2Fa%2Cacme%2Fb%2Cacme%2Fc%2Cacme%2Fd');
  expect(screen.getByRole('checkbox', { name: 'Compare e' })).toBeDisabled();
  const tray = screen.getByRole('region', { name: 'Compare services' });
  expect(within(tray).getByRole('link', { name: 'Compare (4)' })).toHaveAttribute(
    'href',
    '/catalog/compare?compare=acme%2Fa,acme%2Fb,acme%2Fc,acme%2Fd',
  );
  await userEvent.click(within(tray).getByRole('button', { name: 'Remove acme/b' }));
  expect(screen.getByRole('checkbox', { name: 'Compare e' })).toBeEnabled();
  await userEvent.click(within(tray).getByRole('button', { name: 'Stop choosing' }));
  expect(history.location.search).toBe('?search=x');
  expect(screen.queryByRole('checkbox')).toBeNull();
});

test('one service is not enough', async () => {
  catalogue();
  await userEvent.click(await screen.findByRole('button', { name: 'Compare' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Compare a' }));
  const link = screen.getByRole('link', { name: 'Compare (1)' });
  expect(link).toHaveAttribute('aria-disabled', 'true');
  await userEvent.click(link);
  expect(screen.queryByTestId('elsewhere')).toBeNull();
});

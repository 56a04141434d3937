import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { ErrorBoundary } from './ErrorBoundary';

function Defective(): string {
  if (useLocation().search === '?defect') throw new Error('a defect');
  return 'sound';
}

function Page({ onAgain }: { onAgain?: () => void }) {
  return (
    <ErrorBoundary place={useLocation().key} onAgain={onAgain}>
      <Defective />
    </ErrorBoundary>
  );
}

test('a defective page says so, and the next page is shown', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const again = vi.fn<() => void>();
  const { history } = show(<Page onAgain={again} />, { path: '/?defect' });
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(again).toHaveBeenCalledOnce();
  act(() => history.push('/?next'));
  expect(await screen.findByText('sound')).toBeInTheDocument();
  said.mockRestore();
});

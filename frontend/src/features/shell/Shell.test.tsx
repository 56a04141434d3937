import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';

import { BrandContext, STANDARD } from '@/lib/brand';
import * as polls from '@/lib/polls';
import { show } from '@/testing/render';
import { ANN, answers, signedIn, signedOut } from '@/testing/server';

import { Header } from './Header';
import { Shell } from './Shell';
import { isNewBuild } from './useNewBuild';

const RUNNING = BUILD_FACTS.buildNumber;

function builds(number = RUNNING): void {
  answers('/version', { buildNumber: number, buildDate: '', buildBranch: '' });
  for (const service of ['mlpcore', 'mlpgateway', 'mlpbilling'])
    answers(`/api/${service}/version`, { buildNumber: `${service}-7`, buildDate: '', buildBranch: '' });
}

describe('a new build', () => {
  const asked = { server: '2', running: '1', dismissed: null, never: false };
  test.each([
    [asked, true],
    [{ ...asked, server: '1' }, false],
    [{ ...asked, server: undefined }, false],
    [{ ...asked, dismissed: '2' }, false],
    [{ ...asked, dismissed: '0' }, true],
    [{ ...asked, never: true }, false],
  ])('%o: %s', (question, told) => {
    expect(isNewBuild(question)).toBe(told);
  });

  test('is offered, and whoever does not want to hear of it does not again', async () => {
    signedOut();
    builds('another');
    show(<Shell />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Do not show again' }));
    await userEvent.click(screen.getByRole('button', { name: 'Later' }));
    await waitFor(() => expect(screen.queryByText('A new version is ready')).not.toBeInTheDocument());
    expect(localStorage.getItem('new-build-never')).toBe('yes');
  });
});

/** Where banners are. */
const placeOf = () => screen.getByRole('main').previousElementSibling;

describe('around the page', () => {
  test('the first stop of the keyboard passes over the header', async () => {
    signedOut();
    builds();
    show(<Shell />);
    await userEvent.tab();
    expect(screen.getByRole('link', { name: 'Skip to the content' })).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    expect(screen.getByRole('main')).toHaveFocus();
  });

  test('installations that are not in production say what they are built of', async () => {
    signedOut();
    builds();
    show(<Shell />);
    await waitFor(() =>
      expect(screen.getByTestId('builds')).toHaveTextContent(
        `frontend ${RUNNING} · core mlpcore-7 · gateway mlpgateway-7 · billing mlpbilling-7`,
      ),
    );
  });

  test('a blocked account is told so, and may refill', async () => {
    signedIn();
    builds();
    answers(`/api/mlpbilling/account/${ANN.accountId}/blocked`, true);
    const { history } = show(<Shell />);
    expect(await screen.findByText('The account is blocked')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Refill' }));
    expect(await screen.findByRole('dialog', { name: 'Refill the balance' })).toBeInTheDocument();
    expect(history.location.search).toBe('?modal=refill');
  });

  test('a banner that was there last time has its place before it arrives; one that is new stays below the page until the next is opened', async () => {
    signedIn();
    builds();
    answers(`/api/mlpbilling/account/${ANN.accountId}/blocked`, true);
    const { unmount } = show(<Shell />);
    await screen.findByText('The account is blocked');
    expect(placeOf()).toHaveClass(/late/);
    localStorage.setItem('height:banners', `${window.innerWidth} 76`); // jsdom measures nothing
    unmount();
    show(<Shell />);
    expect(screen.queryByText('The account is blocked')).not.toBeInTheDocument();
    expect(placeOf()).toHaveStyle({ minHeight: '76px' });
    expect(placeOf()).not.toHaveClass(/late/);
    expect(placeOf()).toContainElement(await screen.findByText('The account is blocked'));
  });

  test('where a manager refills, the banner says to whom to write', async () => {
    signedIn({}, { refillByManager: true, managerMail: 'manager@example.org' });
    builds();
    answers(`/api/mlpbilling/account/${ANN.accountId}/blocked`, true);
    show(<Shell />);
    expect(await screen.findByRole('link', { name: 'manager@example.org' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Refill' })).not.toBeInTheDocument();
  });

  test('a licence that ends soon is told to everybody', async () => {
    const license = {
      grafanaLicenseDashboardUrl: null,
      hardLimitsAreExceeded: false,
      softLimitsAreExceeded: false,
      licenseStarts: null,
      licenseEnds: new Date(Date.now() + 50 * 3_600_000).toISOString(),
      licenseExpiredOrInvalid: false,
      licenseExpiresSoon: true,
      daysLeftBeforeHardLimits: null,
      limits: null,
    };
    signedIn({}, { license });
    builds();
    show(<Shell />);
    expect(await screen.findByText('The licence expires soon')).toBeInTheDocument();
    expect(screen.getByText('3 days left')).toBeInTheDocument();
  });

  test('an installation that speaks English only does so whatever the browser speaks', async () => {
    signedIn({}, { englishOnly: true });
    builds();
    show(<Shell />, { language: 'ru' });
    expect(await screen.findByRole('button', { name: 'Contact us' })).toBeInTheDocument();
  });

  test('visitors may ask for a demonstration, but have nothing to refill', async () => {
    signedOut();
    builds();
    show(<Shell />, { path: '/?modal=refill' });
    await userEvent.click(await screen.findByRole('button', { name: 'See a demonstration' }));
    expect(await screen.findByRole('dialog', { name: 'See a demonstration' })).toBeInTheDocument();
  });
});

test('polls pause while the tab is hidden', async () => {
  signedIn();
  const { store } = show(<Header onSearch={() => undefined} />);
  const seen = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  // The query client checks this before each poll with this option, which all of ours have.
  expect(store.getState().api.config.focused).toBe(false);
  const options = Object.values(polls).map((poll) => (typeof poll === 'function' ? poll(undefined) : poll));
  expect(options.map(({ skipPollingIfUnfocused }) => skipPollingIfUnfocused)).toEqual(Array.from(options, () => true));
  seen.mockReturnValue('visible');
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  expect(store.getState().api.config.focused).toBe(true);
  seen.mockRestore();
  await screen.findByTestId('balance');
});

test('balance and notifications are asked for every 5 s, tasks every 4 s', () => {
  expect(polls.BALANCE_POLL.pollingInterval).toBe(5000);
  expect(polls.NOTIFICATION_POLL.pollingInterval).toBe(5000);
  expect(polls.TASK_POLL.pollingInterval).toBe(4000);
});

test('a brand of its own has its title, its logo and its band', async () => {
  signedOut();
  show(
    <BrandContext value={{ ...STANDARD, title: 'ML Cloud', logo: '/options/cloud-logo.svg', header: 'branded' }}>
      <Header onSearch={() => undefined} />
    </BrandContext>,
  );
  expect(await screen.findByRole('link', { name: 'ML Cloud: home' })).toBeInTheDocument();
  expect(screen.getByRole('banner')).toHaveAttribute('data-brand', 'branded');
});

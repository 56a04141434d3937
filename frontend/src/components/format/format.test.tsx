import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { signedIn } from '@/testing/server';

import { Duration } from './Duration';
import { Money } from './Money';
import { When } from './When';

const NOW = new Date('2026-11-21T12:00:00Z');

test('a moment is told relative to now, and keeps up with it', () => {
  vi.useFakeTimers({ now: NOW });
  show(<When at="2026-11-21T11:58:30Z" />);
  expect(screen.getByText('1 minute ago')).toHaveAttribute('datetime', '2026-11-21T11:58:30.000Z');
  expect(screen.getByText('1 minute ago').title).toMatch(/^Nov 21, 2026, .*58:30/);
  act(() => void vi.advanceTimersByTime(60_000));
  expect(screen.getByText('2 minutes ago')).toBeInTheDocument();
  vi.useRealTimers();
});

test('a moment that is none leaves the page as it is', () => {
  show(
    <p>
      at <When at="no moment" />
    </p>,
  );
  expect(screen.getByText('at –')).toBeVisible();
});

test('the timer of relative moments stops with the last of them', () => {
  vi.useFakeTimers({ now: NOW });
  const { unmount } = show(<When at="2026-11-21T11:58:30Z" />);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('no moment and no duration are a dash', () => {
  show(
    <>
      <When at={null} />
      <Duration seconds={null} />
    </>,
  );
  expect(screen.getByText('––')).toBeInTheDocument();
});

test('a duration is in its two largest units, all of them on hover', () => {
  show(<Duration seconds={4325} />);
  expect(screen.getByText('1 h 12 min').title.replaceAll('\u00a0', ' ')).toBe('1 h 12 min 5 s');
});

test('a duration in Russian', () => {
  show(<Duration seconds={4320} />, { language: 'ru' });
  expect(screen.getByText('1 ч 12 мин')).not.toHaveAttribute('title');
});

test.each([
  [{ amount: 1234.5, currency: 'RUBLE' }, 'en', '1 234.50 ₽'],
  [{ amount: '1234.509', currency: 'RUBLE' }, 'ru', '1 234,50 ₽'],
  [{ amount: 1, currency: 'TOKEN' }, 'ru', '1,00 токен'],
  [{ amount: 22, currency: 'TOKEN' }, 'ru', '22,00 токена'],
  [{ amount: 25, currency: 'TOKEN' }, 'ru', '25,00 токенов'],
  [{ amount: 0.0004, currency: 'RUBLE', price: true }, 'en', '0.0004 ₽'],
] as const)('%o in %s is %s', (props, language, text) => {
  signedIn();
  show(<Money {...props} />, { language });
  expect(screen.getByText(text)).not.toHaveAttribute('title');
});

test('a shortened amount has the exact one on hover', () => {
  signedIn();
  show(<Money amount={12_433.5} currency="RUBLE" short />);
  expect(screen.getByText('12.4K ₽').title).toBe('12\u202f433.50\u00a0₽');
});

test('without a currency it is that of the installation', async () => {
  signedIn({}, { currencyType: 'TOKEN' });
  show(<Money amount={7} />);
  expect(await screen.findByText('7.00 tokens')).toBeInTheDocument();
});

import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { RoutedTabs } from './RoutedTabs';

const TABS = [
  { name: 'a', label: 'First', to: '?tab=a' },
  { name: 'b', label: 'Second', to: '?tab=b' },
  { name: 'c', label: 'Third', to: '/elsewhere' },
] as const;

function Page() {
  const current = new URLSearchParams(useLocation().search).get('tab') === 'b' ? 'b' : 'a';
  return (
    <RoutedTabs label="Parts" tabs={TABS} current={current}>
      panel of {current}
    </RoutedTabs>
  );
}

test('a tab is a link to its address, and the panel belongs to it', async () => {
  const { history } = show(<Page />);
  const second = await screen.findByRole('tab', { name: 'Second' });
  expect(second).toHaveAttribute('href', '/?tab=b');
  await userEvent.click(second);
  expect(history.location.search).toBe('?tab=b');
  expect(await screen.findByRole('tabpanel', { name: 'Second' })).toHaveTextContent('panel of b');
  expect(screen.getByRole('tab', { name: 'Second', selected: true })).toBeInTheDocument();
});

test('arrow keys open the neighbour, and only the current tab is in the order of the Tab key', async () => {
  const { history } = show(<Page />);
  const first = await screen.findByRole('tab', { name: 'First' });
  expect(screen.getByRole('tab', { name: 'Second' })).toHaveAttribute('tabindex', '-1');
  first.focus();
  await userEvent.keyboard('{ArrowRight}');
  expect(history.location.search).toBe('?tab=b');
  expect(screen.getByRole('tab', { name: 'Second' })).toHaveFocus();
});

test('the back button returns to the tab before', async () => {
  const { history } = show(<Page />);
  await userEvent.click(await screen.findByRole('tab', { name: 'Second' }));
  await screen.findByText('panel of b');
  act(() => history.back());
  expect(await screen.findByText('panel of a')).toBeInTheDocument();
});

test('the current tab is scrolled into the middle of the row', async () => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function rectangle(this: Element) {
    return (this.getAttribute('role') === 'tab' ? { left: 300, width: 100 } : { left: 0, width: 200 }) as DOMRect;
  });
  show(<Page />);
  expect((await screen.findByRole('tablist')).scrollLeft).toBe(250);
  vi.restoreAllMocks();
});

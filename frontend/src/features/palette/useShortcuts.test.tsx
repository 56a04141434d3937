import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import { show } from '@/testing/render';
import { signedIn } from '@/testing/server';

import { askedBy } from './shortcuts';
import { useShortcuts } from './useShortcuts';

const pressed = (key: string, code: string, ctrlKey = false) =>
  askedBy({ key, code, ctrlKey, metaKey: false, altKey: false });

test.each([
  ['k', 'KeyK', true, 'palette'],
  ['л', 'KeyK', true, 'palette'],
  ['k', 'KeyK', false, null],
  ['/', 'Slash', false, 'search'],
  ['.', 'Slash', false, 'search'],
  ['.', 'Period', false, null],
  ['?', 'Slash', false, 'help'],
  [',', 'Slash', false, 'help'],
  ['g', 'KeyG', false, 'go'],
  ['п', 'KeyG', false, 'go'],
  ['g', 'KeyG', true, null],
])('%s (%s, Ctrl: %s) asks for %s', (key, code, control, asked) => expect(pressed(key, code, control)).toBe(asked));

function Page() {
  const { overlay } = useShortcuts();
  return (
    <main>
      <p data-testid="overlay">{overlay ?? 'none'}</p>
      <input type="search" aria-label="find" />
      <textarea aria-label="text" />
    </main>
  );
}

describe('keys', () => {
  test('g and a letter go to a page', async () => {
    signedIn();
    const { history } = show(<Page />);
    await screen.findByTestId('overlay');
    await expect
      .poll(async () => {
        await userEvent.keyboard('gk');
        return history.location.pathname;
      })
      .toBe('/workspace/api-keys');
  });

  test('do nothing of this while one types, but for the palette', async () => {
    signedIn();
    const { history } = show(<Page />);
    await userEvent.type(await screen.findByLabelText('text'), 'gk?/');
    expect(history.location.pathname).toBe('/');
    expect(screen.getByLabelText('text')).toHaveValue('gk?/');
    expect(screen.getByTestId('overlay')).toHaveTextContent('none');
    await userEvent.keyboard('{Control>}k{/Control}');
    expect(screen.getByTestId('overlay')).toHaveTextContent('palette');
  });

  test('/ focuses the search, ? opens the help', async () => {
    signedIn();
    show(<Page />);
    await screen.findByTestId('overlay');
    await userEvent.keyboard('/');
    expect(screen.getByLabelText('find')).toHaveFocus();
    expect(screen.getByLabelText('find')).toHaveValue('');
    screen.getByLabelText('find').blur();
    await userEvent.keyboard('?');
    expect(screen.getByTestId('overlay')).toHaveTextContent('help');
  });
});

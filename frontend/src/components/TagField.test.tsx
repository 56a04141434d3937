import { createEvent, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { TagField } from './TagField';
import { ADDRESS_SEPARATORS } from './tagSeparators';

const field = () => screen.getByRole('textbox', { name: 'Names' });
const pills = () => [...document.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent);

function showField({ start = [], ...props }: { start?: string[] } & Partial<Parameters<typeof TagField>[0]> = {}) {
  const Field = () => {
    const [tags, setTags] = useState(start);
    return <TagField label="Names" {...props} value={tags} onChange={setTags} />;
  };
  return show(<Field />);
}

test('it is a text field: it has no choices to open', async () => {
  showField();
  await userEvent.type(field(), 'one');
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
  expect(field()).not.toHaveAttribute('aria-expanded');
  expect(field()).not.toHaveAttribute('aria-haspopup');
});

test('a space is part of a name, and separates addresses', async () => {
  const { unmount } = showField();
  await userEvent.type(field(), 'gpt x, gpt y;');
  expect(pills()).toEqual(['gpt x', 'gpt y']);
  unmount();
  showField({ separators: ADDRESS_SEPARATORS });
  await userEvent.type(field(), ' en ru fr');
  expect(pills()).toEqual(['en', 'ru']);
  expect(field()).toHaveValue('fr');
});

test('what is pasted replaces what is selected, and each text is there once', async () => {
  showField({ start: ['One'] });
  await userEvent.type(field(), 'abc', { initialSelectionStart: 0 });
  (field() as HTMLInputElement).setSelectionRange(1, 3);
  await userEvent.paste('x\none\ntwo\ntwo');
  expect(pills()).toEqual(['One', 'ax', 'two']);
});

test('texts that differ only in case may be different', async () => {
  showField({ start: ['GPT'], caseSensitive: true });
  await userEvent.type(field(), 'gpt, GPT, Gpt{Enter}');
  expect(pills()).toEqual(['GPT', 'gpt', 'Gpt']);
});

test('a text is removed by Backspace where nothing is typed', async () => {
  showField({ start: ['one', 'two'] });
  await userEvent.type(field(), 'x{Backspace}');
  expect(pills()).toEqual(['one', 'two']);
  await userEvent.type(field(), '{Backspace}');
  expect(pills()).toEqual(['one']);
});

test('Enter that ends a composition adds nothing', () => {
  showField();
  fireEvent.change(field(), { target: { value: 'に' } });
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true });
  expect(pills()).toEqual([]);
});

test('Escape clears what is typed, once, and does not reach what is around the field', async () => {
  const search = vi.fn<(text: string) => void>();
  showField({ onSearchChange: search });
  await userEvent.type(field(), 'one');
  expect(field()).toHaveAttribute('data-mantine-stop-propagation', 'true');
  await userEvent.keyboard('{Escape}');
  expect(field()).toHaveValue('');
  expect(search).toHaveBeenLastCalledWith('');
  expect(field()).toHaveAttribute('data-mantine-stop-propagation', 'false');
  await userEvent.tab();
  expect(pills()).toEqual([]);
});

test('a wrong text has a mark beside its colour, and its button says so', () => {
  showField({ start: ['good', 'bad'], isWrong: (tag) => tag === 'bad' });
  expect(screen.getByRole('button', { name: 'Remove good' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Remove bad (not valid)' })).toBeInTheDocument();
  expect(screen.getByText('bad').querySelector('svg')).toBeInTheDocument();
  expect(screen.getByText('good').querySelector('svg')).not.toBeInTheDocument();
});

test('Enter never sends the form around it', async () => {
  showField();
  await userEvent.type(field(), 'one');
  for (const tags of [['one'], ['one']]) {
    const enter = createEvent.keyDown(field(), { key: 'Enter' });
    fireEvent(field(), enter);
    expect(enter.defaultPrevented).toBe(true);
    expect(pills()).toEqual(tags);
  }
});

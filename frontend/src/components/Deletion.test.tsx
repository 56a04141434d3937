import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { Problem } from '@/api';
import { show } from '@/testing/render';

import { Deletion } from './Deletion';

const problem = (code: string, args: Record<string, string> = {}): Problem => ({
  code,
  status: 409,
  message: 'the server said this',
  args,
  requestId: 'r-1',
});

function open(errors: (Problem | undefined)[], language: 'en' | 'ru' = 'en') {
  const [onClose, onDeleted] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const remove = vi.fn<() => Promise<{ error?: Problem }>>(() => {
    const error = errors.shift();
    return Promise.resolve(error ? { error } : {});
  });
  show(
    <Deletion opened title="Delete it?" account="9" remove={remove} onClose={onClose} onDeleted={onDeleted}>
      It is lost.
    </Deletion>,
    { language },
  );
  return { onClose, onDeleted, remove };
}

const dialog = async () => within(await screen.findByRole('dialog'));

test.each([
  ['en', 'Delete', 'Close', 'Services that use it: counter, greeting.'],
  ['ru', 'Удалить', 'Закрыть', 'Используется сервисами: counter, greeting.'],
] as const)('what is in use is not offered for deletion again, in %s', async (language, action, close, said) => {
  const { onClose, onDeleted } = open(
    [problem('mlp.core.in_use', { use: 'named', names: 'counter, greeting' })],
    language,
  );
  const shown = await dialog();
  await userEvent.click(shown.getByRole('button', { name: action }));
  expect(await shown.findByRole('alert')).toHaveTextContent(said);
  expect(shown.queryByRole('button', { name: action })).not.toBeInTheDocument();
  expect(shown.queryByText('It is lost.')).not.toBeInTheDocument();
  expect(shown.getByRole('link', { name: 'greeting' })).toHaveAttribute('href', '/workspace/model/9/greeting/settings');
  const [, below] = shown.getAllByRole('button', { name: close });
  expect(below).toHaveFocus();
  await userEvent.click(below as HTMLElement);
  expect(onClose).toHaveBeenCalledTimes(1);
  expect(onDeleted).not.toHaveBeenCalled();
});

test('another refusal can be tried again', async () => {
  const { onDeleted, remove } = open([problem('mlp.core.conflict'), undefined]);
  const shown = await dialog();
  await userEvent.click(shown.getByRole('button', { name: 'Delete' }));
  expect(await shown.findByRole('alert')).toBeInTheDocument();
  await userEvent.click(shown.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(onDeleted).toHaveBeenCalledTimes(1));
  expect(remove).toHaveBeenCalledTimes(2);
});

import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';

import { toastGeneral } from '@/components/feedback/Toasts';
import { show } from '@/testing/render';

import { namesShown, useDraft } from './drafts';
import { SaveScope } from './SaveScope';

interface Props {
  name: string;
  save: (value: string) => Promise<boolean>;
}

function Part({ name, save }: Props) {
  const [stored, setStored] = useState('');
  const [value, setValue] = useState('');
  const submit = async () => {
    const done = await save(value);
    if (done) setStored(value);
    return done;
  };
  useDraft({ changed: value === stored ? [] : [name], save: submit, discard: () => setValue(stored) });
  return <input aria-label={name} value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)} />;
}

const both = (one: Props['save'], other: Props['save']) =>
  show(
    <SaveScope>
      <Part name="Price" save={one} />
      <Part name="Time" save={other} />
    </SaveScope>,
  );
const done = () => vi.fn<Props['save']>(() => Promise.resolve(true));
const bar = () => screen.getByRole('region', { name: 'Unsaved changes' });

test('one bar saves several forms, one after the other, and keeps what was refused', async () => {
  const [price, time] = [vi.fn<Props['save']>(() => Promise.resolve(false)), done()];
  both(price, time);
  await userEvent.type(screen.getByRole('textbox', { name: 'Price' }), '5');
  await userEvent.type(screen.getByRole('textbox', { name: 'Time' }), '6');
  expect(bar()).toHaveTextContent('Changed: price, time');
  await userEvent.click(within(bar()).getByRole('button', { name: 'Save' }));
  expect([price.mock.calls, time.mock.calls]).toEqual([[['5']], [['6']]]);
  await waitFor(() => expect(bar()).not.toHaveTextContent('time'));
  expect(bar()).toHaveTextContent('Changed: price');
  // Toasts are loaded when the first is shown: this one is seen if the other would be.
  toastGeneral('Something else');
  expect(await screen.findByText('Something else')).toBeInTheDocument();
  expect(screen.queryByText('Changes saved')).not.toBeInTheDocument();
});

test('it says so when all forms are saved', async () => {
  both(done(), done());
  await userEvent.type(screen.getByRole('textbox', { name: 'Price' }), '5');
  await userEvent.type(screen.getByRole('textbox', { name: 'Time' }), '6');
  await userEvent.click(within(bar()).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Changes saved')).toBeInTheDocument();
});

test('one bar discards the changes of all forms', async () => {
  both(done(), done());
  await userEvent.type(screen.getByRole('textbox', { name: 'Price' }), '5');
  await userEvent.type(screen.getByRole('textbox', { name: 'Time' }), '6');
  await userEvent.click(within(bar()).getByRole('button', { name: 'Discard' }));
  expect(screen.getByRole('textbox', { name: 'Price' })).toHaveValue('');
  expect(screen.queryByRole('region', { name: 'Unsaved changes' })).not.toBeInTheDocument();
});

test.each([
  [['Price', 'Minimum instances'], 'price, minimum instances', 0],
  [['GPU', 'Address of MongoDB', 'CPU, cores'], 'GPU, address of MongoDB, CPU, cores', 0],
  [['A b', 'Bc', 'Cd', 'De', 'Ef', 'Fg', 'Bc'], 'a b, bc, cd, de', 2],
])('%j is said as %j and %i more', (names, said, more) => {
  expect(namesShown(names)).toEqual({ names: said, more });
});

import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { refusal } from '@/testing/server';

import type { Column } from './columns';
import { List, type ListProps, type ListQuery } from './List';
import { useListState } from './useListState';

interface Person {
  id: string;
  name: string;
  age: number;
}

const PEOPLE: Person[] = [
  { id: '1', name: 'Ann', age: 31 },
  { id: '2', name: 'Bob', age: 42 },
];
const COLUMNS: Column<Person>[] = [
  { name: 'name', label: 'Name', cell: ({ name }) => name, sortable: true },
  { name: 'age', label: 'Age', cell: ({ age }) => age, numeric: true },
  { name: 'actions', label: 'Actions', cell: ({ name }) => <button type="button">Greet {name}</button>, actions: true },
];
const LOADED: ListQuery = { isFetching: false, currentData: true, refetch: () => undefined };
const PROBLEM = { ...refusal('mlp.core.unavailable', 503, 'try later') };

function People(props: Partial<ListProps<Person, 'kind'>>) {
  const state = useListState({
    filters: { kind: ['old', 'young'] },
    sort: { fields: ['name'], initial: { field: 'name', descending: false } },
  });
  return (
    <List<Person, 'kind'>
      label="People"
      query={LOADED}
      rows={PEOPLE}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      rowName={({ name }) => name}
      state={state}
      search="Search people"
      filters={[
        {
          name: 'kind',
          label: 'Kind',
          options: [
            { value: 'old', label: 'Old ones' },
            { value: 'young', label: 'Young ones' },
          ],
        },
      ]}
      empty={{
        title: 'No people yet',
        hint: 'People whom you invite appear here.',
        action: <button type="button">Invite</button>,
        code: 'curl /people',
      }}
      {...props}
    />
  );
}

const narrowScreen = () =>
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: true,
        media: query,
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
      }) as unknown as MediaQueryList,
  );

test('the search, the filter and the order are in the address, and the page begins anew', async () => {
  const { history } = show(<People pages={3} />, { path: '/?page=2' });
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Search people' }), { target: { value: 'ann' } });
  await waitFor(() => expect(history.location.search).toBe('?search=ann'));
  await userEvent.click(screen.getByRole('combobox', { name: 'Kind' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Old ones', hidden: true }));
  expect(history.location.search).toBe('?search=ann&kind=old');
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(history.location.search).toBe('?search=ann&kind=old&sort=name%2Cdesc');
  expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
});

test('a filter with a name for what is listed without it shows that name, and goes back to it', async () => {
  const { history } = show(
    <People
      filters={[{ name: 'kind', label: 'Kind', unset: 'Everybody', options: [{ value: 'old', label: 'Old ones' }] }]}
    />,
    { path: '/?kind=old' },
  );
  const kind = await screen.findByRole('combobox', { name: 'Kind' });
  expect(kind).toHaveValue('Old ones');
  await userEvent.click(kind);
  await userEvent.click(await screen.findByRole('option', { name: 'Everybody', hidden: true }));
  expect(history.location.search).toBe('');
  expect(kind).toHaveValue('Everybody');
});

test('the way back through the pages keeps the search', async () => {
  const { history } = show(<People pages={3} />, { path: '/?search=a&page=2' });
  await userEvent.click(await screen.findByRole('button', { name: 'Back' }));
  expect(history.location.search).toBe('?search=a');
});

test('while nothing is loaded there are placeholders below the columns', async () => {
  show(<People rows={undefined} query={{ ...LOADED, isFetching: true, currentData: undefined }} expected={5} />);
  const table = await screen.findByRole('table', { name: 'People' });
  expect(within(table).getAllByRole('row', { hidden: true })).toHaveLength(6);
  expect(screen.getByRole('searchbox')).toBeInTheDocument();
});

test('the rows of before stay while others load, with a bar above them', async () => {
  show(<People query={{ ...LOADED, isFetching: true, currentData: undefined }} />);
  expect(await screen.findByText('Ann')).toBeInTheDocument();
  expect(screen.getByTestId('loading')).toBeInTheDocument();
});

test('polling shows no bar', async () => {
  show(<People query={{ ...LOADED, isFetching: true }} />);
  expect(await screen.findByText('Ann')).toBeInTheDocument();
  expect(screen.queryByTestId('loading')).not.toBeInTheDocument();
});

test('an empty list says what it is and the next step, and offers no search', async () => {
  show(<People rows={[]} />);
  expect(await screen.findByRole('heading', { name: 'No people yet' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Invite' })).toBeInTheDocument();
  expect(await screen.findByText('curl /people')).toBeInTheDocument();
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
});

test('a list that is empty because of its filters names them, and clears them', async () => {
  const { history } = show(<People rows={[]} />, { path: '/?search=zoe&kind=old' });
  expect(await screen.findByText('Nothing matches: “zoe”, Kind: Old ones.')).toBeInTheDocument();
  expect(screen.queryByText('No people yet')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filters' }));
  expect(history.location.search).toBe('');
});

test("a refused page shows no other page's rows, and can be tried again", async () => {
  const refetch = vi.fn<() => void>();
  show(<People query={{ isFetching: false, error: PROBLEM, refetch }} />);
  await userEvent.click(within(await screen.findByRole('alert')).getByRole('button', { name: /again/ }));
  expect(refetch).toHaveBeenCalledOnce();
  expect(screen.queryByText('Ann')).not.toBeInTheDocument();
});

test('rows that could not be loaded again stay, and say so', async () => {
  show(<People query={{ ...LOADED, error: PROBLEM }} />);
  expect(await screen.findByText('Ann')).toBeInTheDocument();
  expect(screen.getByRole('alert')).toHaveTextContent('The list is as it was before');
});

test('a click on a row opens it, but not one on its buttons', async () => {
  const open = vi.fn<(person: Person) => void>();
  show(<People onOpen={open} />);
  await userEvent.click(await screen.findByText('42'));
  expect(open).toHaveBeenCalledWith(PEOPLE[1]);
  await userEvent.click(screen.getByRole('button', { name: 'Greet Ann' }));
  expect(open).toHaveBeenCalledOnce();
});

test('a row with an address is a link', async () => {
  const { history } = show(<People to={({ id }) => `/people/${id}`} />);
  expect(await screen.findByRole('link', { name: 'Bob' })).toHaveAttribute('href', '/people/2');
  await userEvent.click(screen.getByText('31'));
  expect(history.location.pathname).toBe('/people/1');
});

test('something is done with the selected rows, which are not selected afterwards', async () => {
  const run = vi.fn<(people: readonly Person[]) => void>();
  show(<People bulk={[{ label: 'Remove', run }]} />);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Bob' }));
  expect(screen.getByRole('toolbar', { name: '1 selected' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all on this page' }));
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(run).toHaveBeenCalledWith(PEOPLE);
  await waitFor(() => expect(screen.queryByRole('toolbar')).not.toBeInTheDocument());
});

test('what was not done keeps the selection', async () => {
  show(<People bulk={[{ label: 'Remove', run: () => false }]} />);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Bob' }));
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(screen.getByRole('checkbox', { name: 'Select Bob' })).toBeChecked();
});

test('a card leaves out what its row does not have', async () => {
  narrowScreen();
  const [title, age] = COLUMNS as [Column<Person>, Column<Person>];
  show(<People columns={[title, { ...age, cell: ({ name, age: years }) => (name === 'Bob' ? null : years) }]} />);
  const [ann, bob] = (await screen.findAllByRole('listitem')) as [HTMLElement, HTMLElement];
  expect(within(ann).getByText('Age')).toBeInTheDocument();
  expect(within(bob).queryByText('Age')).not.toBeInTheDocument();
  vi.restoreAllMocks();
});

test('on a phone the rows are cards, and the filters are in a panel', async () => {
  narrowScreen();
  const { history } = show(<People />, { path: '/?kind=old' });
  const [ann] = await screen.findAllByRole('listitem');
  if (!ann) throw new Error('a card is there');
  expect(within(ann).getByText('Age')).toBeInTheDocument();
  expect(within(ann).getByRole('button', { name: 'Greet Ann' })).toBeInTheDocument();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Filters (1)' }));
  await userEvent.click(await screen.findByRole('combobox', { name: 'Order' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Name, descending', hidden: true }));
  expect(history.location.search).toBe('?kind=old&sort=name%2Cdesc');
  vi.restoreAllMocks();
});

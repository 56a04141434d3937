import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import { Empty } from '@/components/Empty';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatNumber } from '@/lib/format/number';

import { BulkBar, type BulkAction } from './BulkBar';
import type { Rows } from './columns';
import classes from './List.module.css';
import { ListCards } from './ListCards';
import { ListTable } from './ListTable';
import { type Filter, Toolbar } from './Toolbar';
import type { ListState } from './useListState';
import { useSelection } from './useSelection';

/** The result of a query, as its hook returns it. */
export interface ListQuery {
  error?: Parameters<typeof asProblem>[0];
  isFetching: boolean;
  currentData?: unknown;
  refetch: () => unknown;
}

/** What an empty list says: what would be here, why nothing is, the next step, and code that does it. */
export interface EmptyText {
  title: string;
  hint: ReactNode;
  action?: ReactNode;
  code?: string;
}

export interface ListProps<Row, Name extends string = never> extends Rows<Row> {
  /** What is listed, for screen readers. */
  label: string;
  query: ListQuery;
  /** Rows of the present page; those before stay while new ones load. Undefined: nothing is loaded. */
  rows: readonly Row[] | undefined;
  empty: EmptyText;
  /** Search, filters, sort and page in the address; short lists have none. */
  state?: ListState<Name>;
  /** The label of the search; without it the list has none. */
  search?: string | undefined;
  filters?: readonly Filter<Name>[];
  page?: number;
  pages?: number;
  /** How many rows the list has on all pages. */
  total?: number;
  bulk?: readonly BulkAction<Row>[];
  /** Rows that are expected, for the placeholder. */
  expected?: number;
}

const EXPECTED = 8;
const PHONE = '(max-width: 768px)';

/** A list with all its states: loading, full, empty, empty because of filters, refused, and not up to date. */
export function List<Row, Name extends string = never>(props: ListProps<Row, Name>) {
  const { query, rows, state, search, filters = [], bulk } = props;
  const narrow = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const selection = useSelection((rows ?? []).map(props.rowKey));
  const untouched = rows?.length === 0 && !state?.narrowed;
  const problem = asProblem(query.error);
  const refused = problem !== null && query.currentData === undefined;
  return (
    <Stack gap="md">
      {state && !(untouched && !refused) && (
        <Toolbar state={state} search={search} filters={filters} columns={props.columns} narrow={narrow} />
      )}
      {refused ? (
        <ProblemView problem={problem} again={() => void query.refetch()} />
      ) : (
        <Body {...props} narrow={narrow} selection={selection} stale={problem !== null} />
      )}
      {bulk && rows && selection.count > 0 && (
        <BulkBar actions={bulk} selection={selection} rows={rows.filter((row) => selection.has(props.rowKey(row)))} />
      )}
    </Stack>
  );
}

interface BodyProps<Row, Name extends string> extends ListProps<Row, Name> {
  narrow: boolean;
  selection: ReturnType<typeof useSelection>;
  stale: boolean;
}

function Body<Row, Name extends string>({ narrow, selection, stale, ...props }: BodyProps<Row, Name>) {
  const { t } = useTranslation('List');
  const { label, query, rows, state, bulk, columns, rowKey, rowName, to, onOpen, canOpen, expected = EXPECTED } = props;
  if (rows?.length === 0)
    return state?.narrowed ? <Nothing state={state} filters={props.filters ?? []} /> : <Nobody {...props.empty} />;
  const shared = {
    label,
    rows,
    placeholders: expected,
    columns,
    rowKey,
    rowName,
    to,
    onOpen,
    canOpen,
    selection: bulk ? selection : undefined,
  };
  // Polling repeats the same question in silence; the bar is for another page or filter.
  const turning = query.isFetching && query.currentData === undefined && rows !== undefined;
  return (
    <>
      {stale && (
        <Alert color="yellow" p="xs">
          <Group justify="space-between">
            {t('stale')}
            <Button size="compact-sm" variant="default" onClick={() => void query.refetch()}>
              {t('again')}
            </Button>
          </Group>
        </Alert>
      )}
      <div className={classes.list} aria-busy={turning || rows === undefined}>
        {turning && <div className={classes.bar} data-testid="loading" />}
        {narrow ? <ListCards {...shared} /> : <ListTable {...shared} state={state} />}
      </div>
      {state && rows && (
        <Foot page={props.page ?? state.page} pages={props.pages ?? 1} total={props.total} onPage={state.setPage} />
      )}
    </>
  );
}

function Foot({
  page,
  pages,
  total,
  onPage,
}: {
  page: number;
  pages: number;
  total: number | undefined;
  onPage: (page: number) => void;
}) {
  const { t, i18n } = useTranslation('List');
  if (pages <= 1) return null;
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {total === undefined ? '' : t('found', { count: total, shown: formatNumber(total, i18n.language) })}
      </Text>
      <Pager page={page} pages={pages} onPage={onPage} />
    </Group>
  );
}

function Nobody({ title, hint, action, code }: EmptyText) {
  return (
    <Empty title={title} action={action} code={code}>
      {hint}
    </Empty>
  );
}

/** Empty because of the search and the filters: says which, and clears them. */
function Nothing<Name extends string>({
  state,
  filters,
}: {
  state: ListState<Name>;
  filters: readonly Filter<Name>[];
}) {
  const { t } = useTranslation('List');
  const chosen = filters.flatMap(({ name, label, options }) => {
    const value = state.filters[name];
    return value === null ? [] : [`${label}: ${options.find((option) => option.value === value)?.label ?? value}`];
  });
  const what = [...(state.search ? [t('quoted', { text: state.search })] : []), ...chosen].join(', ');
  return (
    <Empty
      title={t('nothing')}
      action={
        <Button variant="default" onClick={state.reset}>
          {t('reset')}
        </Button>
      }
    >
      {t('nothingFor', { what })}
    </Empty>
  );
}

import { Box, Button, Group, Select, Stack } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SearchBox } from '@/components/SearchBox';
import { Sheet } from '@/components/Sheet';

import type { Column } from './columns';
import { asText, type ListState } from './useListState';

export interface Filter<Name extends string = string> {
  name: Name;
  label: string;
  options: readonly { value: string; label: string }[];
  /** For long lists of options. */
  searchable?: boolean;
  /** What is listed while the filter is not set, as an option of its own; "any" unless given. */
  unset?: string;
}

/** The value of the option that clears the filter. */
const UNSET = '';
/** Widths in pixels: of a filter that always has a value, which must be read whole, and of others. */
const WIDE = 240;
const USUAL = 180;

interface Props<Row, Name extends string> {
  state: ListState<Name>;
  search: string | undefined;
  filters: readonly Filter<Name>[];
  columns: readonly Column<Row>[];
  narrow: boolean;
}

/** Search and filters; on phones the filters and the order are in a panel. */
export function Toolbar<Row, Name extends string>({ state, search, filters, columns, narrow }: Props<Row, Name>) {
  const { t } = useTranslation('List');
  const [opened, setOpened] = useState(false);
  const set = filters.filter(({ name }) => state.filters[name] !== null).length;
  const sortable = columns.filter((column) => column.sortable);
  if (search === undefined && filters.length === 0) return null;
  return (
    <Group gap="xs">
      {search !== undefined && (
        <Box flex={1} miw={200} maw={narrow ? undefined : 420}>
          <SearchBox search={state.search} label={search} onChange={(_, text) => state.setSearch(text)} />
        </Box>
      )}
      {!narrow &&
        filters.map((filter) => (
          <FilterChoice
            key={filter.name}
            filter={filter}
            state={state}
            width={filter.unset === undefined ? USUAL : WIDE}
          />
        ))}
      {narrow && (filters.length > 0 || sortable.length > 0) && (
        <>
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
            onClick={() => setOpened(true)}
          >
            {set ? t('filtersSet', { count: set }) : t('filters')}
          </Button>
          <Sheet opened={opened} title={t('filters')} onClose={() => setOpened(false)}>
            <Stack>
              {filters.map((filter) => (
                <FilterChoice key={filter.name} filter={filter} state={state} width="100%" labelled />
              ))}
              {sortable.length > 0 && <SortChoice columns={sortable} state={state} />}
              <Button onClick={() => setOpened(false)}>{t('done')}</Button>
            </Stack>
          </Sheet>
        </>
      )}
    </Group>
  );
}

interface ChoiceProps<Name extends string> {
  filter: Filter<Name>;
  state: ListState<Name>;
  width: number | string;
  labelled?: boolean;
}

function FilterChoice<Name extends string>({ filter, state, width, labelled = false }: ChoiceProps<Name>) {
  const { t } = useTranslation('List');
  const { name, label, options, searchable = false, unset } = filter;
  return (
    <Select
      {...(labelled ? { label } : { 'aria-label': label })}
      w={width}
      searchable={searchable}
      {...(unset === undefined
        ? {
            placeholder: labelled ? t('any') : label,
            data: options,
            value: state.filters[name],
            clearable: true,
            clearButtonProps: { 'aria-label': t('clear', { name: label }) },
          }
        : {
            data: [{ value: UNSET, label: unset }, ...options],
            value: state.filters[name] ?? UNSET,
            allowDeselect: false,
          })}
      onChange={(value: string | null) => state.setFilter(name, value || null)}
    />
  );
}

function SortChoice<Row, Name extends string>({
  columns,
  state,
}: {
  columns: readonly Column<Row>[];
  state: ListState<Name>;
}) {
  const { t } = useTranslation('List');
  const options = columns.flatMap(({ name, label }) => [
    { value: asText({ field: name, descending: false }), label: t('ascending', { column: label }) },
    { value: asText({ field: name, descending: true }), label: t('descending', { column: label }) },
  ]);
  const choose = (value: string | null) => {
    const [field, direction] = (value ?? '').split(',');
    if (field) state.setSort({ field, descending: direction === 'desc' });
  };
  return (
    <Select
      label={t('sort')}
      data={options}
      value={state.sort && asText(state.sort)}
      onChange={choose}
      allowDeselect={false}
    />
  );
}

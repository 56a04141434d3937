import { Checkbox, Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Column, Rows } from './columns';
import classes from './List.module.css';
import { RowName, useRowClick } from './RowName';
import type { Selection } from './useSelection';
import type { ListState } from './useListState';

const CHECKBOX_WIDTH = 40;

export interface TableProps<Row> extends Rows<Row> {
  label: string;
  /** Undefined while nothing is loaded: then there are placeholders. */
  rows: readonly Row[] | undefined;
  placeholders: number;
  state: Pick<ListState, 'sort' | 'toggleSort'> | undefined;
  selection: Selection | undefined;
}

export function ListTable<Row>({ label, rows, placeholders, state, selection, ...how }: TableProps<Row>) {
  const { t } = useTranslation('List');
  return (
    <Table
      stickyHeader
      stickyHeaderOffset="var(--mlp-header)"
      highlightOnHover={how.to !== undefined || how.onOpen !== undefined}
      layout="fixed"
      aria-label={label}
      className={classes.table ?? ''}
    >
      <Table.Thead>
        <Table.Tr>
          {selection && (
            <Table.Th w={CHECKBOX_WIDTH}>
              <Checkbox
                aria-label={t('selectAll')}
                checked={selection.all}
                indeterminate={selection.count > 0 && !selection.all}
                onChange={selection.toggleAll}
              />
            </Table.Th>
          )}
          {how.columns.map((column) => (
            <Header key={column.name} column={column} state={state} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows ? (
          <Loaded rows={rows} selection={selection} {...how} />
        ) : (
          <Placeholders columns={how.columns} count={placeholders} selectable={selection !== undefined} />
        )}
      </Table.Tbody>
    </Table>
  );
}

function Header<Row>({ column, state }: { column: Column<Row>; state: TableProps<Row>['state'] }) {
  const { name, label, width, numeric, sortable, actions, from } = column;
  const sorted = sortable && state?.sort?.field === name ? state.sort : null;
  const Arrow = sorted?.descending ? IconChevronDown : IconChevronUp;
  const content =
    sortable && state ? (
      <UnstyledButton
        className={classes.sort ?? ''}
        data-current={sorted ? true : undefined}
        onClick={() => state.toggleSort(name)}
      >
        {label}
        {sorted && <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    ) : (
      label
    );
  return (
    <Table.Th
      {...(from && { visibleFrom: from })}
      {...(width !== undefined && { w: width })}
      className={numeric ? (classes.numeric ?? '') : ''}
      aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
    >
      {actions ? <VisuallyHidden>{label}</VisuallyHidden> : content}
    </Table.Th>
  );
}

function Loaded<Row>({
  rows,
  selection,
  columns,
  rowKey,
  rowName,
  ...how
}: Rows<Row> & { rows: readonly Row[]; selection: Selection | undefined }) {
  const { t } = useTranslation('List');
  const clickOf = useRowClick(how);
  return rows.map((row) => {
    const key = rowKey(row);
    const click = clickOf(row);
    return (
      <Table.Tr key={key} className={classes.row ?? ''} data-opens={click.onClick ? true : undefined} {...click}>
        {selection && (
          <Table.Td>
            <Checkbox
              aria-label={t('select', { name: rowName(row) })}
              checked={selection.has(key)}
              onChange={() => selection.toggle(key)}
            />
          </Table.Td>
        )}
        {columns.map((column, index) => (
          <Table.Td
            key={column.name}
            {...(column.from && { visibleFrom: column.from })}
            className={column.numeric ? (classes.numeric ?? '') : ''}
          >
            {index === 0 ? <RowName row={row} column={column} {...how} /> : column.cell(row)}
          </Table.Td>
        ))}
      </Table.Tr>
    );
  });
}

function Placeholders<Row>({
  columns,
  count,
  selectable,
}: {
  columns: readonly Column<Row>[];
  count: number;
  selectable: boolean;
}) {
  return Array.from({ length: count }, (_, row) => (
    <Table.Tr key={row} aria-hidden>
      {selectable && <Table.Td />}
      {columns.map(({ name, actions, from }) => (
        <Table.Td key={name} {...(from && { visibleFrom: from })}>
          {!actions && <Skeleton h={12} w={`${50 + ((row * 7) % 30)}%`} />}
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

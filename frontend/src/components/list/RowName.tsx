import { Text, UnstyledButton } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useNavigate } from 'react-router';

import { Link } from '@/components/Link';

import { type Column, type Opening, openingOf } from './columns';
import classes from './List.module.css';

const INTERACTIVE = 'a, button, input, select, textarea, label, [role=menuitem]';

/** The first cell: the link or button that the whole row stands for. */
export function RowName<Row>({ row, column, ...how }: Opening<Row> & { row: Row; column: Column<Row> }) {
  const opening = openingOf(row, how);
  const content = column.cell(row);
  return (
    <>
      {opening === null ? (
        content
      ) : 'address' in opening ? (
        <Link to={opening.address} className={classes.name}>
          {content}
        </Link>
      ) : (
        <UnstyledButton className={classes.name ?? ''} onClick={opening.open}>
          {content}
        </UnstyledButton>
      )}
      {column.note && (
        <Text size="xs" c="dimmed" component="div">
          {column.note(row)}
        </Text>
      )}
    </>
  );
}

/** What a click anywhere in a row does: nothing on its buttons and links, or while its text is selected. */
export function useRowClick<Row>(
  how: Opening<Row>,
): (row: Row) => { onClick?: (event: MouseEvent<HTMLElement>) => void } {
  const navigate = useNavigate();
  return (row) => {
    const opening = openingOf(row, how);
    if (opening === null) return {};
    return {
      onClick: (event) => {
        const target = event.target as Element;
        // Clicks in a modal that a cell opened also arrive here, through React's tree.
        if (!event.currentTarget.contains(target) || target.closest(INTERACTIVE) || window.getSelection()?.toString())
          return;
        if ('address' in opening) void navigate(opening.address);
        else opening.open();
      },
    };
  };
}

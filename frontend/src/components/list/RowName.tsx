import { Text, UnstyledButton } from '@mantine/core';
import type { MouseEvent } from 'react';
import { Link, useNavigate } from 'react-router';

import type { Column, Rows } from './columns';
import classes from './List.module.css';

const INTERACTIVE = 'a, button, input, select, textarea, label, [role=menuitem]';

/** The first cell: the link or button that the whole row stands for. */
export function RowName<Row>({ row, column, to, onOpen }: Pick<Rows<Row>, 'to' | 'onOpen'> & { row: Row; column: Column<Row> }) {
  const address = to?.(row) ?? null;
  const content = column.cell(row);
  return (
    <>
      {address !== null ? (
        <Link to={address} className={classes.name}>
          {content}
        </Link>
      ) : onOpen ? (
        <UnstyledButton className={classes.name ?? ''} onClick={() => onOpen(row)}>
          {content}
        </UnstyledButton>
      ) : (
        content
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
export function useRowClick<Row>({ to, onOpen }: Pick<Rows<Row>, 'to' | 'onOpen'>): (row: Row) => { onClick?: (event: MouseEvent<HTMLElement>) => void } {
  const navigate = useNavigate();
  return (row) => {
    const address = to?.(row) ?? null;
    if (address === null && !onOpen) return {};
    return {
      onClick: (event) => {
        const target = event.target as Element;
        // Clicks in a modal that a cell opened also arrive here, through React's tree.
        if (!event.currentTarget.contains(target) || target.closest(INTERACTIVE) || window.getSelection()?.toString()) return;
        if (address !== null) void navigate(address);
        else onOpen?.(row);
      },
    };
  };
}

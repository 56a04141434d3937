import { Box, Card, Checkbox, Group, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Rows } from './columns';
import classes from './List.module.css';
import { RowName, useRowClick } from './RowName';
import type { Selection } from './useSelection';

interface Props<Row> extends Rows<Row> {
  label: string;
  rows: readonly Row[] | undefined;
  placeholders: number;
  selection: Selection | undefined;
}

/** The rows as cards, for phones: the first column is the title, the others are facts; what narrow tables leave out is left out. */
export function ListCards<Row>({ label, rows, placeholders, selection, columns, rowKey, rowName, ...how }: Props<Row>) {
  const { t } = useTranslation('List');
  const clickOf = useRowClick(how);
  const [title, ...rest] = columns;
  const facts = rest.filter(({ actions: buttons, from, inCards }) => !buttons && (inCards || !from));
  const actions = rest.find((column) => column.actions);
  if (!rows || !title) return <Placeholders count={placeholders} facts={facts.length} />;
  return (
    <ul className={classes.cards} aria-label={label}>
      {rows.map((row) => {
        const key = rowKey(row);
        return (
          <Card key={key} component="li" padding="sm" {...clickOf(row)}>
            <Group wrap="nowrap" align="flex-start" gap="sm">
              {selection && (
                <Checkbox
                  aria-label={t('select', { name: rowName(row) })}
                  checked={selection.has(key)}
                  onChange={() => selection.toggle(key)}
                />
              )}
              <Box miw={0} flex={1} style={{ overflowWrap: 'anywhere' }}>
                <RowName row={row} column={title} {...how} />
              </Box>
              {actions && <Box flex="none">{actions.cell(row)}</Box>}
            </Group>
            {facts.map(({ name, label: fact, cell }) => (
              <Fact key={name} label={fact} content={cell(row)} />
            ))}
          </Card>
        );
      })}
    </ul>
  );
}

function Fact({ label, content }: { label: string; content: ReactNode }) {
  if (content === null) return null;
  return (
    <div className={classes.fact}>
      <span>{label}</span>
      <div>{content}</div>
    </div>
  );
}

function Placeholders({ count, facts }: { count: number; facts: number }) {
  return (
    <ul className={classes.cards} aria-hidden>
      {Array.from({ length: count }, (_, card) => (
        <Card key={card} component="li" padding="sm">
          <Skeleton h={18} w="50%" />
          {Array.from({ length: facts }, (__, fact) => (
            <Skeleton key={fact} h={14} mt={10} />
          ))}
        </Card>
      ))}
    </ul>
  );
}

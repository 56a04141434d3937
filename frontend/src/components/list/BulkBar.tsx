import { ActionIcon, Button, Group, Paper, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './List.module.css';
import type { Selection } from './useSelection';

export interface BulkAction<Row> {
  label: string;
  danger?: boolean;
  /** The selection is cleared unless the result is `false`. */
  run: (rows: readonly Row[]) => unknown;
}

/** What can be done with the selected rows; it stays at the bottom of the screen while the list scrolls. */
export function BulkBar<Row>({
  actions,
  rows,
  selection,
}: {
  actions: readonly BulkAction<Row>[];
  rows: readonly Row[];
  selection: Selection;
}) {
  const { t } = useTranslation('List');
  const [running, setRunning] = useState<string | null>(null);
  const run = async (action: BulkAction<Row>) => {
    setRunning(action.label);
    if ((await action.run(rows)) !== false) selection.clear();
    setRunning(null);
  };
  return (
    <Paper
      withBorder
      shadow="md"
      p="xs"
      className={classes.bulk ?? ''}
      role="toolbar"
      aria-label={t('selected', { count: rows.length })}
    >
      <Group gap="sm">
        <Text size="sm" aria-live="polite">
          {t('selected', { count: rows.length })}
        </Text>
        {actions.map((action) => (
          <Button
            key={action.label}
            size="xs"
            variant="default"
            c={action.danger ? 'red' : undefined}
            loading={running === action.label}
            disabled={running !== null}
            onClick={() => void run(action)}
          >
            {action.label}
          </Button>
        ))}
        <ActionIcon variant="subtle" color="gray" aria-label={t('unselect')} onClick={selection.clear}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Paper>
  );
}

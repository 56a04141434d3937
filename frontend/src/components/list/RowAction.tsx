import { ActionIcon } from '@mantine/core';
import type { ComponentType } from 'react';

interface Props {
  /** Names the row too, for screen readers. */
  label: string;
  Icon: ComponentType<{ size: number; 'aria-hidden': true }>;
  danger?: boolean;
  onClick: () => void;
}

/** A button at the end of a row. */
export function RowAction({ label, Icon, danger = false, onClick }: Props) {
  return (
    <ActionIcon variant="subtle" color={danger ? 'red' : 'gray'} aria-label={label} title={label} onClick={onClick}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}

import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface SheetProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export default function SheetDrawer({ title, onClose, children }: SheetProps) {
  const { t } = useTranslation('App');
  return (
    <Drawer
      opened
      onClose={onClose}
      title={title}
      position="bottom"
      size="auto"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Drawer>
  );
}

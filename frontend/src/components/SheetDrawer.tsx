import { Drawer } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { SheetProps } from './Sheet';

export default function SheetDrawer({ title, onClose, children }: SheetProps) {
  const { t } = useTranslation('App');
  return (
    <Drawer opened onClose={onClose} title={title} position="bottom" size="70%" closeButtonProps={{ 'aria-label': t('close') }}>
      {children}
    </Drawer>
  );
}

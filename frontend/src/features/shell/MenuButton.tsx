import { ActionIcon } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Session } from '@/lib/session';

const CompactMenu = lazy(() => import('./CompactMenu'));

/** Loads the menu when it is first opened; the menu then replaces this button. */
export function MenuButton({ session }: { session: Session }) {
  const [asked, setAsked] = useState(false);
  const { t } = useTranslation('Header');
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t('menu')}
      aria-haspopup="menu"
      loading={asked}
      onClick={() => setAsked(true)}
    >
      <IconMenu2 aria-hidden />
    </ActionIcon>
  );
  return asked ? (
    <Suspense fallback={button}>
      <CompactMenu session={session} />
    </Suspense>
  ) : (
    button
  );
}

import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';

const ServiceActions = lazy(() => import('./ServiceActions'));

interface Props {
  account: string;
  model: ModelInfoData;
  onDeleted?: () => void;
}

/** Loads the actions when they are first asked for; their menu then replaces this button. */
export function ServiceMenu({ account, model, onDeleted }: Props) {
  const { t } = useTranslation('Service');
  const [asked, setAsked] = useState(false);
  const button = (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={t('actions', { name: model.displayName ?? model.modelName })}
      aria-haspopup="menu"
      loading={asked}
      onClick={() => setAsked(true)}
    >
      <IconDots size={18} aria-hidden />
    </ActionIcon>
  );
  return asked ? (
    <Suspense fallback={button}>
      <ServiceActions account={account} model={model} onDeleted={onDeleted} />
    </Suspense>
  ) : (
    button
  );
}

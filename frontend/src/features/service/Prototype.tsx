import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconCopyPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';

const CloneService = lazy(async () => ({ default: (await import('./CloneService')).CloneService }));

/** What people do with a prototype instead of trying it. */
export function Prototype({ account, model, mayClone }: { account: string; model: ModelInfoData; mayClone: boolean }) {
  const { t } = useTranslation('Service');
  const [opened, setOpened] = useState(false);
  return (
    <Alert color="gray" title={t('prototype')}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{t('prototypeHint')}</Text>
        {mayClone && (
          <Button leftSection={<IconCopyPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
            {t('cloneAndLaunch')}
          </Button>
        )}
      </Stack>
      {opened && (
        <Suspense>
          <CloneService account={account} model={model} launch opened onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </Alert>
  );
}

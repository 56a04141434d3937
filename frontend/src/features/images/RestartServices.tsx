import { Button, List, Stack, Text } from '@mantine/core';
import { IconRotate } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ImageInfoData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { formatNumber } from '@/lib/format/number';

interface Props {
  account: string;
  image: ImageInfoData;
  /** How many services of the account run the image; undefined while that is not known. */
  services: number | undefined;
}

const STEPS = ['oneByOne', 'noRoom', 'failure'] as const;

/** Replaces the instances of the account's services that run the image, after it has said what that does. */
export function RestartServices({ account, image, services }: Props) {
  const { t, i18n } = useTranslation('Images');
  const [restart] = coreApi.useCoreRestartImageModelsMutation();
  const refused = useProblemToast();
  const [asked, setAsked] = useState(false);
  const confirm = async () => {
    const { error } = await restart({ account, imageId: image.id.imageId });
    setAsked(false);
    if (!refused(t('restartFailed'), error)) toastDone(t('restarting'));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRotate size={16} aria-hidden />}
        disabled={!services}
        onClick={() => setAsked(true)}
      >
        {t('restart')}
      </Button>
      <Confirm
        opened={asked}
        title={t('restartTitle', { count: services ?? 0, shown: formatNumber(services ?? 0, i18n.language) })}
        action={t('restartAction')}
        onClose={() => setAsked(false)}
        onConfirm={confirm}
      >
        <Stack gap="xs">
          <Text>{t('restartHint', { name: image.name })}</Text>
          <List size="sm">
            {STEPS.map((step) => (
              <List.Item key={step}>{t(`restartSteps.${step}`)}</List.Item>
            ))}
          </List>
        </Stack>
      </Confirm>
    </>
  );
}

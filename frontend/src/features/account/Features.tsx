import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useModal } from '@/lib/modals';
import { useSession } from '@/lib/session';

/** Features that people can request; granted ones are marked. */
const ASKED_FOR = ['mlp.model_admin', 'mlp.public_model_admin'] as const;

export function Features() {
  const { t } = useTranslation('Account');
  const session = useSession();
  const { open } = useModal();
  if (session.state !== 'signed-in') return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('features')}</Title>
      {ASKED_FOR.map((feature) => (
        <Group key={feature} justify="space-between" maw={560}>
          <Text>{t(`feature.${feature.replace('mlp.', '')}`)}</Text>
          {session.has(feature) ? (
            <Text size="sm" c="dimmed">
              {t('granted')}
            </Text>
          ) : (
            <Button size="xs" variant="default" onClick={() => open('access', feature)}>
              {t('Rights:ask')}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}

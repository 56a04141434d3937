import { Alert, Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { SignedIn } from '@/lib/session';

import { useWelcomeBonus } from './useWelcomeBonus';

interface Props {
  session: SignedIn;
  accountId: number;
}

/** The welcome bonus, once per person. Hidden where none is offered. */
export function WelcomeBonus({ session, accountId }: Props) {
  const { t } = useTranslation('WelcomeBonus');
  const { amount, isTaking, reason, take } = useWelcomeBonus(session, accountId);
  if (amount === null) return null;
  return (
    <>
      {reason && (
        <Alert color="yellow" role="alert">
          {reason}
        </Alert>
      )}
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{t('hint', { amount })}</Text>
        <Button variant="default" flex="none" loading={isTaking} onClick={() => void take()}>
          {t('take')}
        </Button>
      </Group>
    </>
  );
}

import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { type Session, useSession } from '@/lib/session';

const Playground = lazy(async () => ({ default: (await import('@/features/playground/Playground')).Playground }));

export type Hindrance = 'signedOut' | 'noAccount' | 'notAllowed';

/** Why the user cannot try a service; null if they can. The gateway checks required features. */
export function hindranceOf(session: Session, model: Pick<ModelInfoData, 'id' | 'publicSettings'>): Hindrance | null {
  if (session.state !== 'signed-in') return 'signedOut';
  if (session.accountId === null) return 'noAccount';
  const own = session.accountId === model.id.accountId;
  return own || model.publicSettings.publicTestingAllowed ? null : 'notAllowed';
}

/** The testing tab: the playground, or the reason why it is unavailable. */
export function Tried({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const session = useSession();
  if (session.state === 'loading') return <Skeleton h={420} />;
  const hindrance = hindranceOf(session, model);
  if (hindrance === 'signedOut') return <SignInToTry />;
  if (hindrance) return <Alert color="gray">{t(`hindrance.${hindrance}`)}</Alert>;
  const owner = session.state === 'signed-in' && session.accountId === model.id.accountId;
  return (
    <Stack>
      {model.publicSettings.showPersonalDataDisclaimer && <Alert color="yellow">{t('personalData')}</Alert>}
      <Suspense fallback={<Skeleton h={420} />}>
        <Playground account={account} model={model.modelName} taskType={model.taskType} owner={owner} />
      </Suspense>
    </Stack>
  );
}

function SignInToTry() {
  const { t } = useTranslation('Service');
  const back = encodeURIComponent(window.location.pathname);
  return (
    <Stack align="flex-start" gap="sm">
      <Text>{t('signInToTry')}</Text>
      <Group>
        <Button component="a" href={`/c/login?redirectUrl=${back}`}>
          {t('signIn')}
        </Button>
        <Button component="a" variant="default" href={`/c/register?redirectUrl=${back}`}>
          {t('signUp')}
        </Button>
      </Group>
    </Stack>
  );
}

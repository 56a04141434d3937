import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAppWindow } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { EXAMPLE_HEIGHT, isTriedAsText } from '@/features/landing/tried';
import { RecordedExample } from '@/features/playground/examples/RecordedExample';
import { Prototype } from '@/features/service/Prototype';
import { useExamples } from '@/lib/predict/useExamples';
import { hindranceOf, isOpenToVisitors } from '@/lib/hindrance';
import { useSession } from '@/lib/session';

const VisitorExample = lazy(async () => ({ default: (await import('@/features/landing/LiveExample')).Example }));
const Playground = lazy(async () => ({ default: (await import('@/features/playground/Playground')).Playground }));

interface Props {
  model: ModelInfoData;
  account: string;
}

/** The testing tab: the playground, or the reason why it is unavailable and what the author has recorded. */
export function Tried({ model, account }: Props) {
  const { t } = useTranslation('Service');
  const session = useSession();
  if (session.state === 'loading') return <Skeleton h={420} />;
  if (model.prototype) {
    return (
      <Stack gap="lg">
        <Prototype
          account={account}
          model={model}
          mayClone={session.state === 'signed-in' && session.accountId !== null}
        />
        <Recorded model={model} account={account} />
      </Stack>
    );
  }
  const hindrance = hindranceOf(session, model);
  if (hindrance) {
    const open = hindrance === 'signedOut' && isOpenToVisitors(model) && isTriedAsText(model.taskType);
    return (
      <Stack gap="lg">
        {open && (
          <Suspense fallback={<Skeleton h={EXAMPLE_HEIGHT} />}>
            <VisitorExample model={model} onItsPage />
          </Suspense>
        )}
        {hindrance === 'signedOut' ? (
          <SignInToTry more={open} />
        ) : (
          <Alert color="gray">{t(`hindrance.${hindrance}`)}</Alert>
        )}
        <Recorded model={model} account={account} />
      </Stack>
    );
  }
  const owner = session.state === 'signed-in' && session.accountId === model.id.accountId;
  return (
    <Stack>
      {model.publicSettings.showPersonalDataDisclaimer && <Alert color="yellow">{t('personalData')}</Alert>}
      {model.httpSettings.isHttpEnabled && <OwnPage model={model} account={account} />}
      <Suspense fallback={<Skeleton h={420} />}>
        <Playground
          account={account}
          model={model.modelName}
          taskType={model.taskType}
          owner={owner}
          runs={model.state === 'RUNNING'}
          startable={isStartable(model)}
          startSeconds={model.startTimeSec}
          currency={model.billingSettings.currency ?? null}
        />
      </Suspense>
    </Stack>
  );
}

/** Nothing of it runs, and the platform would start it. */
export function isStartable({
  state,
  hostingType,
  prototype,
}: Pick<ModelInfoData, 'state' | 'hostingType' | 'prototype'>): boolean {
  return (state === 'INACTIVE' || state === 'SLEEPING') && hostingType !== 'EXTERNAL' && !prototype;
}

function Recorded({ model, account }: Props) {
  const examples = useExamples(account, model.modelName, model.taskType);
  return <RecordedExample examples={examples ?? []} />;
}

/** Shown on the service's page only: the application's page shows the web page itself. */
function OwnPage({ model, account }: Props) {
  const { t } = useTranslation('Service');
  return (
    <Anchor
      component={Link}
      to={`/app/${encodeURIComponent(account)}/${encodeURIComponent(model.modelName)}`}
      w="fit-content"
    >
      <Group gap={6} wrap="nowrap">
        <IconAppWindow size={18} aria-hidden />
        {t('application')}
      </Group>
    </Anchor>
  );
}

/** `more`: a few calls are possible without it. */
function SignInToTry({ more }: { more: boolean }) {
  const { t } = useTranslation('Service');
  const back = encodeURIComponent(window.location.pathname);
  return (
    <Stack align="flex-start" gap="sm">
      <Text>{t(more ? 'signInForMore' : 'signInToTry')}</Text>
      <Group>
        <Button component="a" variant={more ? 'default' : 'filled'} href={`/c/login?redirectUrl=${back}`}>
          {t('signIn')}
        </Button>
        <Button component="a" variant={more ? 'subtle' : 'default'} href={`/c/register?redirectUrl=${back}`}>
          {t('signUp')}
        </Button>
      </Group>
    </Stack>
  );
}

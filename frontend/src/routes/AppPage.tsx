import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Page } from '@/components/Page';
import { SessionProblem } from '@/components/feedback/SessionProblem';
import { ApplicationFrame } from '@/features/playground/ApplicationFrame';
import { browser } from '@/lib/browser';
import { whileStarting } from '@/lib/polls';
import { loginAddress, safeRedirect } from '@/lib/redirects';
import { useSession } from '@/lib/session';

import { ObjectProblem } from './ObjectProblem';
import { Tried } from './Tried';

/** A service as an application: its web page if it has one, else the form to use it, without the rest of its page. */
export function AppPage() {
  const { t } = useTranslation('Header');
  const { account = '', service = '' } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetModelInfoQuery({ account, model: service });
  coreApi.useCoreGetModelInfoQuery({ account, model: service }, whileStarting(data));
  const problem = asProblem(error);
  if (problem && !data)
    return (
      <ObjectProblem
        problem={problem}
        name={`${account}/${service}`}
        crumbs={[{ text: t('catalog'), to: '/catalog' }]}
        again={() => void refetch()}
      />
    );
  return (
    <Page title={data ? (data.displayName ?? data.modelName) : service} subtitle={data?.shortDescription}>
      {!data && <Skeleton h={320} />}
      {data &&
        (data.httpSettings.isHttpEnabled ? (
          <Application account={account} model={data} />
        ) : (
          <Tried account={account} model={data} />
        ))}
    </Page>
  );
}

/** The service's own web page, for signed-in people. */
function Application({ account, model }: { account: string; model: ModelInfoData }) {
  const session = useSession();
  switch (session.state) {
    case 'loading':
      return <Skeleton h={480} />;
    case 'broken':
      return <SessionProblem requestId={session.requestId} />;
    case 'anonymous':
      return <SignInFirst target={`/app/${account}/${model.modelName}`} />;
    case 'signed-in':
      return (
        <ApplicationFrame account={account} service={model.modelName} title={model.displayName ?? model.modelName} />
      );
  }
}

/** Where an application sends people who must sign in; they return to it afterwards. */
export function AppAuthPage() {
  const { t } = useTranslation('Header');
  const session = useSession();
  const [params] = useSearchParams();
  const target = safeRedirect(params.get('redirectUrl'), window.location.origin) ?? '/';
  const signedIn = session.state === 'signed-in';
  useEffect(() => {
    if (signedIn) browser.go(target);
  }, [signedIn, target]);
  return (
    <Page title={t('login')}>
      {session.state === 'anonymous' && <SignInFirst target={target} />}
      {session.state === 'broken' && <SessionProblem requestId={session.requestId} />}
    </Page>
  );
}

function SignInFirst({ target }: { target: string }) {
  const { t } = useTranslation('Header');
  return (
    <Stack align="flex-start">
      <Text>{t('appAuth')}</Text>
      <Button component="a" href={loginAddress(target)}>
        {t('login')}
      </Button>
    </Stack>
  );
}

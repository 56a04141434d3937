import { Skeleton } from '@mantine/core';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';

/** Passes expire after an hour: a page that stays open gets a new one before that, and reloads. */
const RENEW_MS = 50 * 60 * 1000;
/** Without allow-same-origin: the page belongs to a tenant and must not act for the visitor. */
const SANDBOX = 'allow-scripts allow-forms allow-popups allow-modals allow-downloads';

/** The web page of a service, in a sandbox. */
export function ApplicationFrame({ account, service, title }: { account: string; service: string; title: string }) {
  const { data, error, refetch } = coreApi.useCoreEnsureApplicationTokenQuery(
    { account, application: service },
    { pollingInterval: RENEW_MS, refetchOnMountOrArgChange: true },
  );
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={480} />;
  return (
    <iframe
      title={title}
      src={`/api/mlpgateway/application/${data}/`}
      sandbox={SANDBOX}
      referrerPolicy="no-referrer"
      style={{ width: '100%', height: '75vh', border: 0 }}
    />
  );
}

import { SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatNumber } from '@/lib/format/number';
import { quantity } from '@/lib/format/resources';
import { useMember } from '@/lib/session';

import { LimitUse, useLimitUse } from './LimitUse';

/** Those whose use has no bar here: storage has a page, and rates are of the moment. */
const OTHERS = ['storageLimit', 'predictPerSec', 'fitPerMinute'] as const;

/** Sizes as people read them, and numbers in the page's language. */
function shown(limit: string | number | null | undefined): string {
  if (limit == null) return '–';
  return typeof limit === 'number' ? formatNumber(limit) : quantity(limit);
}

/** The account's limits with their use. Only the team can raise them. What stands below waits for them: how many there are is known late. */
export function Limits({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('Account');
  const { account } = useMember();
  const { data, error, refetch } = coreApi.useCoreEnsureAccountWithIdQuery({ account });
  const problem = asProblem(error);
  const use = useLimitUse(account);
  if ((!use.data && !use.error) || (!data && !problem)) return <Skeleton h={420} />;
  return (
    <>
      <Stack gap="md" component="section">
        <Title order={2}>{t('limits')}</Title>
        <LimitUse use={use} />
        {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
        {data && (
          <SimpleGrid cols={{ base: 2, xs: 3 }} component="dl" m={0} spacing="xl">
            {OTHERS.map((name) => (
              <div key={name}>
                <Text size="sm" c="dimmed" component="dt">
                  {t(`limit.${name}`)}
                </Text>
                <Text ff="monospace" component="dd" m={0}>
                  {shown(data.limits[name])}
                </Text>
              </div>
            ))}
          </SimpleGrid>
        )}
      </Stack>
      {children}
    </>
  );
}

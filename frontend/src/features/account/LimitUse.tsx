import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { LimitUseData } from '@/api/generated/core.gen';
import { UtilisationBar, UtilisationLegend } from '@/components/charts/UtilisationBar';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatNumber } from '@/lib/format/number';
import { cores, mebibytes } from '@/lib/format/resources';

const POLL = { pollingInterval: 15_000, skipPollingIfUnfocused: true };
const FORMATS: Partial<Record<LimitUseData['limit'], (value: number) => string>> = {
  cpuLimit: cores,
  memoryLimit: mebibytes,
  ephemeralDiskLimit: mebibytes,
};

/** What the account's instances use of each limit; polled. */
export const useLimitUse = (account: string) => coreApi.useCoreGetLimitUseQuery({ account }, POLL);

export function LimitUse({ use: { data, error, refetch } }: { use: ReturnType<typeof useLimitUse> }) {
  const { t } = useTranslation('Account');
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  return (
    <Stack gap="sm" component="section" aria-label={t('limitUse')}>
      {data ? (
        <>
          <UtilisationLegend />
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="md" spacing="xl">
            {data.map(({ limit, allowed, used }) => (
              <UtilisationBar
                key={limit}
                label={t(`limit.${limit}`)}
                total={allowed}
                requested={used}
                format={FORMATS[limit] ?? formatNumber}
              />
            ))}
          </SimpleGrid>
        </>
      ) : (
        <Skeleton h={92} />
      )}
      <Text size="sm" c="dimmed">
        {t('limitUseHint')}
      </Text>
    </Stack>
  );
}

import { Anchor, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { LicenseLimits, LicenseOverviewData, LicenseUsageData } from '@/api/generated/core.gen';
import { UtilisationBar } from '@/components/charts/UtilisationBar';
import { ProblemView } from '@/components/feedback/ProblemView';
import { StateDot } from '@/components/StateDot';
import { licenceBanner } from '@/features/licence/licence';
import { clock } from '@/lib/clock';
import { formatNumber } from '@/lib/format/number';
import { formatDay } from '@/lib/format/time';

const AMOUNTS: readonly [
  keyof LicenseUsageData,
  keyof LicenseLimits & ('allowedServices' | 'allowedVllmModels' | 'cpuTotalCount' | 'vramTotalGb'),
][] = [
  ['services', 'allowedServices'],
  ['vllmModels', 'allowedVllmModels'],
  ['cpu', 'cpuTotalCount'],
  ['vramGb', 'vramTotalGb'],
];
const RIGHTS = ['allowedToDevelop', 'allowedToFit'] as const;

/** The licence of the installation: whether it holds, its limits, and what is used of them. */
export function Licence() {
  const query = coreApi.useCoreGetLicenseQuery(undefined, { refetchOnMountOrArgChange: true });
  const problem = asProblem(query.error);
  if (problem && !query.data) return <ProblemView problem={problem} again={() => void query.refetch()} />;
  return query.data ? <Overview overview={query.data} /> : <Skeleton h={240} />;
}

function Overview({ overview }: { overview: LicenseOverviewData }) {
  const { t } = useTranslation('Admin');
  const { license, usage } = overview;
  return (
    <Stack gap="xl">
      {license ? (
        <Terms overview={overview} license={license} />
      ) : (
        <Text c="dimmed">{t(overview.required ? 'licence.notRead' : 'licence.notNeeded')}</Text>
      )}
      <Stack gap="sm" component="section" aria-label={t('licence.use')}>
        <Title order={2} size="h3">
          {t('licence.use')}
        </Title>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xl" maw={720}>
          {AMOUNTS.map(([name, limit]) => (
            <Amount
              key={name}
              label={t(`licence.amount.${name}`)}
              used={usage[name]}
              allowed={license?.limits?.[limit] ?? null}
            />
          ))}
        </SimpleGrid>
        {license?.limits && (
          <Text size="sm" c="dimmed" maw={720}>
            {t('licence.grace', { days: overview.graceDays, percent: overview.hardPercent })}
          </Text>
        )}
      </Stack>
    </Stack>
  );
}

function Terms({
  overview: { customer },
  license,
}: {
  overview: LicenseOverviewData;
  license: NonNullable<LicenseOverviewData['license']>;
}) {
  const { t } = useTranslation(['Admin', 'Licence']);
  const now = useSyncExternalStore(clock.subscribe, clock.now);
  const banner = licenceBanner(license, new Date(now));
  const { licenseStarts: starts, licenseEnds: ends, limits, grafanaLicenseDashboardUrl: dashboard } = license;
  return (
    <Stack gap="sm" component="section" aria-label={t('licence.title')}>
      <StateDot state={dotOf(banner)} text={banner ? t(`Licence:${banner.kind}`) : t('licence.valid')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={720} component="dl" m={0}>
        {customer !== null && <Fact name={t('licence.customer')}>{customer}</Fact>}
        {starts !== null && ends !== null && (
          <Fact name={t('licence.period')}>
            {formatDay(starts)} – {formatDay(ends)}
          </Fact>
        )}
        {limits &&
          RIGHTS.map((right) => (
            <Fact key={right} name={t(`licence.right.${right}`)}>
              {t(limits[right] === false ? 'licence.no' : 'licence.yes')}
            </Fact>
          ))}
      </SimpleGrid>
      {dashboard !== null && (
        <Anchor href={dashboard} target="_blank" rel="noreferrer" w="fit-content">
          {t('licence.dashboard')}
        </Anchor>
      )}
    </Stack>
  );
}

function dotOf(banner: ReturnType<typeof licenceBanner>): string {
  if (!banner) return 'SOUND';
  return banner.tone === 'danger' ? 'UNSOUND' : 'WAITING';
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}

/** A bar if the licence limits it, else the number alone. */
function Amount({ label, used, allowed }: { label: string; used: number; allowed: number | null }) {
  const { t, i18n } = useTranslation('Admin');
  if (allowed !== null)
    return (
      <UtilisationBar
        label={label}
        total={allowed}
        requested={used}
        format={(value) => formatNumber(value, i18n.language)}
      />
    );
  return <Text size="sm">{t('licence.unlimited', { label, used: formatNumber(used, i18n.language) })}</Text>;
}

import { Anchor, Badge, Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { coreApi } from '@/api';
import type { ModelCounts, ModelInfoData } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { CardsToCome, ModelGrid } from '@/features/catalogue/ModelGrid';
import { SearchBox } from '@/components/SearchBox';
import { PAGE_SIZE, useFilters } from '@/features/catalogue/useModels';
import { OwnerFacts } from '@/features/workspace/OwnerFacts';
import { whileSomeStart } from '@/lib/polls';
import { useMember } from '@/lib/session';

import { Newcomer } from '@/routes/Newcomer';

const TABS = ['mine', 'favorites', 'fitted'] as const;
const POLL = { pollingInterval: 30_000, skipPollingIfUnfocused: true };
type Tab = (typeof TABS)[number];
const COUNTED: Record<Tab, keyof ModelCounts> = { mine: 'createdByMe', favorites: 'favorites', fitted: 'fitted' };
const QUERY: Record<Tab, { onlyMy: boolean; withFavorites: boolean; onlyFitted?: boolean }> = {
  mine: { onlyMy: true, withFavorites: false },
  favorites: { onlyMy: false, withFavorites: true },
  fitted: { onlyMy: true, withFavorites: false, onlyFitted: true },
};

/** The services of one's own, and those that one likes. */
export function WorkspacePage() {
  const { t } = useTranslation('Workspace');
  const { account } = useMember();
  const [params] = useSearchParams();
  const [filters, change] = useFilters();
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'mine';
  const asked = { account, ...QUERY[tab], modelField: filters.search || null, page: filters.page - 1, size: PAGE_SIZE };
  const listing = coreApi.useCoreGetPagedModelsQuery(asked);
  coreApi.useCoreGetPagedModelsQuery(asked, whileSomeStart(listing.currentData?.records));
  const details = useOwnerFacts(account, listing.data?.records ?? []);
  const searched = filters.search !== '';
  return (
    <Page
      title={t('title')}
      tab={tab === 'mine' ? undefined : t(tab)}
      action={
        <Button component={Link} to="/workspace/create-service" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('create')}
        </Button>
      }
    >
      <Newcomer waiting={<CardsToCome count={6} />}>
        <RoutedTabs
          label={t('title')}
          current={tab}
          tabs={TABS.map((name) => ({
            name,
            label: t(name),
            to: { search: name === 'mine' ? '' : `?tab=${name}` },
            aside: <CountOf account={account} tab={name} />,
          }))}
        >
          <Stack gap="lg">
            <SearchBox search={filters.search} onChange={change} />
            <ModelGrid
              listing={listing}
              own={tab !== 'favorites'}
              details={details}
              page={filters.page}
              onPage={(page) => change('page', page > 1 ? String(page) : null)}
              empty={
                searched
                  ? { title: t('Catalog:nothing'), hint: t('Catalog:nothingHint') }
                  : { title: t(`none.${tab}`), hint: <NextStep tab={tab} /> }
              }
            />
          </Stack>
        </RoutedTabs>
      </Newcomer>
    </Page>
  );
}

/** Only of services of one's own: of others nobody here knows their instances. */
function useOwnerFacts(account: string, models: readonly ModelInfoData[]) {
  const { accountId } = useMember();
  const modelId = models.filter(({ id }) => id.accountId === accountId).map(({ id }) => id.modelId);
  const { data } = coreApi.useCoreGetRecentCallsQuery({ account, modelId }, { ...POLL, skip: modelId.length === 0 });
  const found = new Map(data?.map((recent) => [recent.modelId, recent]));
  return (model: ModelInfoData) =>
    model.id.accountId === accountId ? <OwnerFacts model={model} recent={found.get(model.id.modelId)} /> : undefined;
}

function NextStep({ tab }: { tab: Tab }) {
  const { t } = useTranslation('Workspace');
  return (
    <Stack align="center" gap="xs">
      <Text c="dimmed" maw={480}>
        {t(`noneHint.${tab}`)}
      </Text>
      <Anchor component={Link} to={tab === 'mine' ? '/workspace/create-service' : '/catalog'}>
        {t(tab === 'mine' ? 'create' : 'toCatalog')}
      </Anchor>
    </Stack>
  );
}

function CountOf({ account, tab }: { account: string; tab: Tab }) {
  const { data } = coreApi.useCoreGetModelCountsQuery({ account });
  return (
    <Badge variant="default" miw={28} style={{ visibility: data ? 'visible' : 'hidden' }}>
      {data?.[COUNTED[tab]] ?? 0}
    </Badge>
  );
}

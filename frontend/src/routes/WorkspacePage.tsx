import { Button, Stack, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';

import { coreApi } from '@/api';
import { Page } from '@/components/Page';
import { ModelGrid } from '@/features/catalogue/ModelGrid';
import { PAGE_SIZE, useFilters } from '@/features/catalogue/useModels';
import { SearchBox } from '@/features/catalogue/SearchBox';
import { useMember } from '@/lib/session';

const TABS = { mine: { onlyMy: true }, favorites: { withFavorites: true, onlyMy: false } } as const;
type Tab = keyof typeof TABS;

/** The services of one's own, and those that one likes. */
export function WorkspacePage() {
  const { t } = useTranslation('Workspace');
  const { account } = useMember();
  const [params, setParams] = useSearchParams();
  const [filters, change] = useFilters();
  const tab: Tab = params.get('tab') === 'favorites' ? 'favorites' : 'mine';
  const listing = coreApi.useCoreGetPagedModelsQuery({
    account,
    ...TABS[tab],
    modelField: filters.search || null,
    page: filters.page - 1,
    size: PAGE_SIZE,
  });
  return (
    <Page
      title={t('title')}
      action={
        <Button component={Link} to="/workspace/create-service" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('create')}
        </Button>
      }
    >
      <Tabs value={tab} onChange={(value) => setParams(value === 'favorites' ? { tab: value } : {})}>
        <Tabs.List>
          <Tabs.Tab value="mine">
            {t('mine')}
            <CountOf account={account} tab="mine" />
          </Tabs.Tab>
          <Tabs.Tab value="favorites">
            {t('favorites')}
            <CountOf account={account} tab="favorites" />
          </Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Stack gap="lg">
        <SearchBox search={filters.search} onChange={change} />
        <ModelGrid
          listing={listing}
          page={filters.page}
          onPage={(page) => change('page', page > 1 ? String(page) : null)}
          empty={{ title: t(`none.${tab}`), hint: t(`noneHint.${tab}`) }}
        />
      </Stack>
    </Page>
  );
}

function CountOf({ account, tab }: { account: string; tab: Tab }) {
  const { data } = coreApi.useCoreGetPagedModelsQuery({ account, ...TABS[tab], size: 1 });
  return data ? ` ${data.paging.totalElements}` : '';
}

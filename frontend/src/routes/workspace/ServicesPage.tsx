import { Box, Button, Group, Select, Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Cards } from '@/features/catalogue/ModelGrid';
import { SearchBox } from '@/components/SearchBox';
import { ServiceTable } from '@/features/service/ServiceTable';
import { OWNERSHIPS, PUBLICITIES, type ServiceFilters, useServiceFilters } from '@/features/service/useServiceFilters';
import { useMember } from '@/lib/session';
import { useTaskNames } from '@/lib/useTaskNames';

const PAGE_SIZE = 50;

/** All services of the account, to be found among thousands. */
export function ServicesPage() {
  const { t } = useTranslation('Services');
  const { account } = useMember();
  const [filters, change] = useServiceFilters();
  return (
    <Page
      title={t('title')}
      action={
        <Button component={Link} to="/workspace/create-service" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('Workspace:create')}
        </Button>
      }
    >
      <FilterBar account={account} filters={filters} change={change} />
      <List account={account} filters={filters} change={change} />
    </Page>
  );
}

interface Props {
  account: string;
  filters: ServiceFilters;
  change: (name: string, value: string | null) => void;
}

function FilterBar({ account, filters, change }: Props) {
  const { t } = useTranslation('Services');
  const names = useTaskNames();
  const { data: types = [] } = coreApi.useCoreGetTaskTypesQuery();
  const { data: groups = [] } = coreApi.useCoreGetGroupsQuery({ account });
  const common = { clearable: true, clearButtonProps: { 'aria-label': t('any') }, w: 170 } as const;
  return (
    <Group gap="xs">
      <Box flex={1} miw={220}>
        <SearchBox search={filters.search} onChange={change} />
      </Box>
      <Select aria-label={t('ownership')} w={150} allowDeselect={false} data={OWNERSHIPS.map((value) => ({ value, label: t(`ownerships.${value}`) }))} value={filters.ownership} onChange={(value) => change('ownership', value === 'mine' ? null : value)} />
      <Select {...common} aria-label={t('taskType')} placeholder={t('taskType')} searchable data={types.map(({ name }) => ({ value: name, label: names(name) }))} value={filters.taskType} onChange={(value) => change('TaskType', value)} />
      <Select
        {...common}
        aria-label={t('group')}
        placeholder={t('group')}
        searchable
        data={[{ value: '0', label: t('noGroup') }, ...groups.flatMap(({ id, name }) => (id ? [{ value: String(id.groupId), label: name }] : []))]}
        value={filters.group}
        onChange={(value) => change('group', value)}
      />
      <Select {...common} aria-label={t('publicity')} placeholder={t('publicity')} data={PUBLICITIES.map((value) => ({ value, label: t(value) }))} value={filters.publicity} onChange={(value) => change('publicity', value)} />
    </Group>
  );
}

function List({ account, filters, change }: Props) {
  const { t } = useTranslation('Services');
  const narrow = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false });
  const { data, error, refetch, isFetching } = coreApi.useCoreGetPagedModelsQuery({
    account,
    onlyMy: filters.ownership === 'mine',
    onlyOthers: filters.ownership === 'others',
    onlyPublic: filters.publicity === 'public',
    onlyPrivate: filters.publicity === 'private',
    onlyRestricted: filters.publicity === 'restricted',
    modelField: filters.search || null,
    taskType: filters.taskType,
    groupId: filters.group === null ? null : Number(filters.group),
    sort: filters.sort,
    page: filters.page - 1,
    size: PAGE_SIZE,
  });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={420} />;
  if (data.records.length === 0) return <Empty title={t('none')}>{t('noneHint')}</Empty>;
  return (
    <Stack gap="lg" aria-busy={isFetching} style={{ opacity: isFetching ? 0.7 : 1 }}>
      {narrow ? (
        <Cards models={data.records} own />
      ) : (
        <ServiceTable account={account} models={data.records} sort={filters.sort} onSort={(sort) => change('sort', sort)} />
      )}
      <Pager page={filters.page} pages={data.paging.totalPages} onPage={(page) => change('page', page > 1 ? String(page) : null)} />
    </Stack>
  );
}

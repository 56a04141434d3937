import { ActionIcon, Box, Button, Flex, Group, NativeSelect, Stack, Title } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconFilter, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { Sheet } from '@/components/Sheet';
import { FilterPanel } from '@/features/catalogue/FilterPanel';
import { CardsToCome, ModelGrid } from '@/features/catalogue/ModelGrid';
import { SearchBox } from '@/components/SearchBox';
import { Sections } from '@/features/catalogue/Sections';
import { type Filters, SORTS, useFilters, useModels } from '@/features/catalogue/useModels';
import { useSession } from '@/lib/session';
import { useTaskNames } from '@/lib/useTaskNames';

import { Newcomer } from './Newcomer';

const CompareTray = lazy(() => import('@/features/catalogue/choosing/CompareTray'));

type Change = (name: string, value: string | null) => void;

/** Sections by task type at first; a list while searching or filtering. */
export function CatalogPage() {
  const { t } = useTranslation('Catalog');
  const [filters, change] = useFilters();
  const narrow = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false });
  const [opened, sheet] = useDisclosure(false);
  const looking = filters.search !== '' || filters.taskType !== null || filters.language !== null || filters.page > 1;
  const panel = <FilterPanel filters={filters} onChange={change} />;
  return (
    <Page title={t('title')} subtitle={t('subtitle')} action={<Publish narrow={narrow} />} beside>
      {/* On a phone the search has a line of its own: beside two buttons its text has no room. */}
      <Flex gap="sm" wrap={{ base: 'wrap', sm: 'nowrap' }}>
        <Box flex={{ base: '1 0 100%', sm: 1 }}>
          <SearchBox search={filters.search} onChange={change} />
        </Box>
        <Box w={{ base: 44, sm: 132 }} h={36} flex="none">
          <Suspense>
            <CompareTray />
          </Suspense>
        </Box>
        {narrow && (
          <Button
            variant="default"
            flex={{ base: 1, sm: 'none' }}
            leftSection={<IconFilter size={16} aria-hidden />}
            onClick={sheet.open}
          >
            {t('filters')}
          </Button>
        )}
      </Flex>
      <Sheet opened={opened} onClose={sheet.close} title={t('filters')}>
        {panel}
      </Sheet>
      <Flex gap="xl" align="flex-start">
        {!narrow && (
          <Box w={220} flex="none">
            {panel}
          </Box>
        )}
        <Box flex={1} miw={0}>
          {looking ? <Found filters={filters} change={change} /> : <Start />}
        </Box>
      </Flex>
    </Page>
  );
}

/** Below the search, which would jump when the first steps give way to what was found. Who reads decides what is above the services. */
function Start() {
  const session = useSession();
  if (session.state === 'loading') return <CardsToCome count={6} />;
  return (
    <Stack gap="lg">
      <Newcomer waiting={<CardsToCome count={6} />}>
        <Sections />
      </Newcomer>
    </Stack>
  );
}

/** People with an account may publish; somebody without services has no other place to begin. On phones its place is kept: who reads is known late. */
function Publish({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation('Workspace');
  const session = useSession();
  const may = session.state === 'signed-in' && session.accountId !== null && !session.isSuperadmin;
  if (narrow) {
    return (
      <Box w={36} h={36} flex="none">
        {may && (
          <ActionIcon
            component={Link}
            to="/workspace/create-service"
            variant="default"
            size={36}
            aria-label={t('create')}
            title={t('create')}
          >
            <IconPlus size={20} aria-hidden />
          </ActionIcon>
        )}
      </Box>
    );
  }
  if (!may) return null;
  return (
    <Button
      component={Link}
      to="/workspace/create-service"
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {t('create')}
    </Button>
  );
}

function Found({ filters, change }: { filters: Filters; change: Change }) {
  const { t } = useTranslation('Catalog');
  const names = useTaskNames();
  const listing = useModels(filters);
  const count = listing.data?.paging.totalElements;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} aria-live="polite">
          {filters.taskType ? names(filters.taskType) : t('found')}
          {count !== undefined && ` · ${count}`}
        </Title>
        <NativeSelect
          aria-label={t('sort')}
          w={200}
          size="xs"
          data={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
          value={filters.sort}
          onChange={({ currentTarget: { value } }) => change('sort', value === 'new' ? null : value)}
        />
      </Group>
      <ModelGrid
        listing={listing}
        page={filters.page}
        onPage={(page) => change('page', page > 1 ? String(page) : null)}
        empty={{
          title: t('nothing'),
          hint: t('nothingHint'),
          action: (
            <Button component={Link} to="/catalog" variant="default">
              {t('reset')}
            </Button>
          ),
        }}
      />
    </Stack>
  );
}

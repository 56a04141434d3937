import { Box, Drawer, Flex, Button, SimpleGrid, Stack, Title } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Page } from '@/components/Page';
import { FilterPanel, SearchBox } from '@/features/catalogue/FilterPanel';
import { ModelCard } from '@/features/catalogue/ModelCard';
import { ModelGrid } from '@/features/catalogue/ModelGrid';
import { useFilters, useModels } from '@/features/catalogue/useModels';
import { useTaskNames } from '@/lib/useTaskNames';

export function CatalogPage() {
  const { t } = useTranslation('Catalog');
  const [filters, change] = useFilters();
  const listing = useModels(filters);
  const narrow = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false });
  const [opened, sheet] = useDisclosure(false);
  const untouched = !filters.search && !filters.taskType && !filters.language && filters.page === 1;
  const panel = <FilterPanel filters={filters} onChange={change} />;
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <Flex gap="sm">
        <Box flex={1}>
          <SearchBox filters={filters} onChange={change} />
        </Box>
        {narrow && (
          <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />} onClick={sheet.open}>
            {t('filters')}
          </Button>
        )}
      </Flex>
      <Drawer opened={opened} onClose={sheet.close} title={t('filters')} position="bottom" size="70%">
        {panel}
      </Drawer>
      <Flex gap="xl" align="flex-start">
        {!narrow && (
          <Box w={220} flex="none">
            {panel}
          </Box>
        )}
        <Stack flex={1} gap="xl" miw={0}>
          {untouched && <Featured />}
          <ModelGrid
            listing={listing}
            page={filters.page}
            onPage={(page) => change('page', page > 1 ? String(page) : null)}
            empty={{ title: t('nothing'), hint: t('nothingHint') }}
          />
        </Stack>
      </Flex>
    </Page>
  );
}

function Featured() {
  const { t } = useTranslation('Catalog');
  const names = useTaskNames();
  const { data = [] } = coreApi.useCoreGetFeaturedModelsQuery();
  if (data.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby="featured">
      <Title order={2} id="featured">
        {t('featured')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {data.map((model) => (
          <ModelCard key={`${model.id.accountId}/${model.id.modelId}`} model={model} taskName={names(model.taskType)} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

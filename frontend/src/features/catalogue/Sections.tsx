import { Anchor, Box, Group, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { asProblem, firstApi } from '@/api/first';
import type { ModelInfoData, TaskTypeToModelsCount } from '@/api/first/generated/core.gen';
import { Empty } from '@/components/Empty';
import { LaterProblemView } from '@/components/feedback/LaterProblems';
import { Link } from '@/components/Link';
import { TaskIcon } from '@/components/TaskIcon';
import { whileSomeStart } from '@/lib/polls';
import { useTaskNames } from '@/lib/useTaskNames';

import { Cards, CardsToCome } from './ModelGrid';
import classes from './Sections.module.css';
import { inOrder, usePublicModels, withFilter } from './useModels';
import { useRows, without } from './useRows';

const IN_A_SECTION = 3;
/** A task type with fewer services is no reason for sections. */
const WORTH_A_SECTION = 4;
const MOST_FLAT = 100;

const NONE: readonly ModelInfoData[] = [];

/** The start of the catalogue: featured, popular and new services, then one grid while there are few, or else some of each task type. */
export function Sections() {
  const { t } = useTranslation('Catalog');
  const { data, error, refetch } = firstApi.useCoreGetCatalogCategoriesQuery();
  const featured = firstApi.useCoreGetFeaturedModelsQuery();
  firstApi.useCoreGetFeaturedModelsQuery(undefined, whileSomeStart(featured.data));
  const categories = inOrder(data?.categories ?? []).filter(({ modelsCount }) => modelsCount > 0);
  const chosen = featured.data ?? NONE;
  const rows = useRows(
    chosen,
    categories.reduce((sum, { modelsCount }) => sum + modelsCount, 0),
  );
  const problem = asProblem(error);
  if (problem && !data)
    return <LaterProblemView meanwhile={<CardsToCome count={6} />} problem={problem} again={() => void refetch()} />;
  // Wait for all: sections would shift if what stands above them arrived later.
  if (!data || featured.isLoading || rows.loading) return <CardsToCome count={6} />;
  if (categories.length === 0) return <Empty title={t('empty')}>{t('emptyHint')}</Empty>;
  return (
    <Stack gap={40}>
      <Row name="featured" models={chosen} />
      <Row name="popular" models={rows.popular} />
      <Row name="newest" models={rows.newest} />
      {categories.every(({ modelsCount }) => modelsCount < WORTH_A_SECTION) ? (
        <Flat above={[...chosen, ...rows.popular, ...rows.newest]} />
      ) : (
        <SectionsByType categories={categories} />
      )}
    </Stack>
  );
}

function SectionsByType({ categories }: { categories: readonly TaskTypeToModelsCount[] }) {
  return (
    <Box className={classes.sections ?? ''}>
      {categories.map(({ taskTypeName, modelsCount }) => (
        <Section key={taskTypeName} taskType={taskTypeName} count={modelsCount} />
      ))}
    </Box>
  );
}

/** All services that are not above already. */
function Flat({ above }: { above: readonly ModelInfoData[] }) {
  const { t } = useTranslation('Catalog');
  const { data, error, refetch } = usePublicModels({ onlyPublic: true, size: MOST_FLAT, sort: 'popularity,desc' });
  const problem = asProblem(error);
  if (problem && !data)
    return <LaterProblemView meanwhile={<CardsToCome count={6} />} problem={problem} again={() => void refetch()} />;
  if (!data) return <CardsToCome count={6} />;
  const models = without(data.records, above);
  if (models.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby="all-services">
      <Title order={2} id="all-services">
        {t(above.length > 0 ? 'others' : 'services')}
      </Title>
      <Cards models={models} />
    </Stack>
  );
}

function Row({ name, models }: { name: 'featured' | 'popular' | 'newest'; models: readonly ModelInfoData[] }) {
  const { t } = useTranslation('Catalog');
  if (models.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby={name}>
      <Title order={2} id={name}>
        {t(name)}
      </Title>
      <Cards models={models} />
    </Stack>
  );
}

function Section({ taskType, count }: { taskType: string; count: number }) {
  const { t } = useTranslation('Catalog');
  const names = useTaskNames();
  const [params] = useSearchParams();
  const { data, error, refetch } = usePublicModels({ taskType, onlyPublic: true, size: IN_A_SECTION });
  const problem = asProblem(error);
  const columns = Math.min(count, IN_A_SECTION);
  const toCome = <CardsToCome count={columns} columns={columns} />;
  return (
    <Stack gap="sm" component="section" aria-labelledby={`section-${taskType}`} data-span={columns}>
      <Group justify="space-between" wrap="nowrap" align="baseline">
        <Group gap="xs" wrap="nowrap" align="baseline" miw={0}>
          <TaskIcon taskType={taskType} size={18} />
          <Title order={2} fz="lg" style={{ overflowWrap: 'break-word' }} miw={0} id={`section-${taskType}`}>
            {names(taskType)}
          </Title>
        </Group>
        <Anchor
          style={{ whiteSpace: 'nowrap' }}
          component={Link}
          to={`?${withFilter(params, 'TaskType', taskType)}`}
          aria-label={t('allOf', { name: names(taskType) })}
        >
          {t('viewAll', { count })}
        </Anchor>
      </Group>
      {problem && !data && <LaterProblemView meanwhile={toCome} problem={problem} again={() => void refetch()} />}
      {!problem && !data && toCome}
      {data && <Cards models={data.records} columns={columns} />}
    </Stack>
  );
}

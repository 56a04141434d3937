import { NativeSelect, NavLink, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { firstApi } from '@/api/first';
import { TaskIcon } from '@/components/TaskIcon';
import { useTaskNames } from '@/lib/useTaskNames';

import { type Filters, inOrder } from './useModels';

const LANGUAGES = ['ru', 'en', 'de', 'es', 'fr', 'it', 'kk', 'pt', 'tr', 'uk', 'uz', 'zh'];
/** Of the placeholder of the task types: nothing follows it. */
const TO_COME = 360;

interface Props {
  filters: Filters;
  onChange: (name: string, value: string | null) => void;
}

/** Task types with their numbers of services, and languages of the data. */
export function FilterPanel({ filters, onChange }: Props) {
  const { t, i18n } = useTranslation('Catalog');
  const names = useTaskNames();
  const { data, isLoading } = firstApi.useCoreGetCatalogCategoriesQuery();
  const categories = inOrder(data?.categories ?? []);
  const total = categories.reduce((sum, { modelsCount }) => sum + modelsCount, 0);
  const languageNames = new Intl.DisplayNames([i18n.language], { type: 'language' });
  return (
    <Stack gap="md">
      <nav aria-label={t('taskTypes')}>
        <NavLink component="button" label={t('all')} active={!filters.taskType} onClick={() => onChange('TaskType', null)} rightSection={<Count value={total} />} />
        {isLoading && <Skeleton h={TO_COME} mt="xs" />}
        {categories.map(({ taskTypeName, modelsCount }) => (
          <NavLink
            key={taskTypeName}
            component="button"
            leftSection={<TaskIcon taskType={taskTypeName} />}
            label={names(taskTypeName)}
            active={filters.taskType === taskTypeName}
            onClick={() => onChange('TaskType', taskTypeName)}
            rightSection={<Count value={modelsCount} />}
          />
        ))}
      </nav>
      {/* Below the task types: their number is not known before. */}
      {!isLoading && <NativeSelect
        label={t('language')}
        data={[{ value: '', label: t('anyLanguage') }, ...LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value }))]}
        value={filters.language ?? ''}
        onChange={({ currentTarget: { value } }) => onChange('language', value || null)}
      />}
    </Stack>
  );
}

function Count({ value }: { value: number }) {
  return (
    <Text size="sm" c="dimmed" ff="monospace">
      {value}
    </Text>
  );
}

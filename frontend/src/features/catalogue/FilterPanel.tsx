import { NavLink, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';

import type { Filters } from './useModels';
import { useTaskNames } from '@/lib/useTaskNames';

const SEARCH_DELAY_MS = 250;
const LANGUAGES = ['ru', 'en', 'de', 'fr', 'es', 'zh'];

interface Props {
  filters: Filters;
  onChange: (name: string, value: string | null) => void;
}

export function SearchBox({ filters, onChange }: Props) {
  const { t } = useTranslation('Catalog');
  const [typed, setTyped] = useState({ text: filters.search, address: filters.search });
  // The address may change under the box: the back button, a link. Then the box shows what it says.
  if (typed.address !== filters.search) setTyped({ text: filters.search, address: filters.search });
  const search = useDebouncedCallback((value: string) => {
    setTyped({ text: value, address: value.trim() });
    onChange('search', value.trim() || null);
  }, SEARCH_DELAY_MS);
  return (
    <TextInput
      type="search"
      aria-label={t('search')}
      placeholder={t('search')}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed.text}
      maxLength={64}
      onChange={({ currentTarget }) => {
        setTyped((now) => ({ ...now, text: currentTarget.value }));
        search(currentTarget.value);
      }}
    />
  );
}

export function FilterPanel({ filters, onChange }: Props) {
  const { t } = useTranslation('Catalog');
  const names = useTaskNames();
  const { data } = coreApi.useCoreGetCatalogCategoriesQuery();
  const categories = data?.categories ?? [];
  const total = categories.reduce((sum, { modelsCount }) => sum + modelsCount, 0);
  return (
    <Stack gap="md">
      <nav aria-label={t('taskTypes')}>
        <NavLink component="button" label={t('all')} active={!filters.taskType} onClick={() => onChange('TaskType', null)} rightSection={<Count value={total} />} />
        {categories.map(({ taskTypeName, modelsCount }) => (
          <NavLink
            key={taskTypeName}
            component="button"
            label={names(taskTypeName)}
            active={filters.taskType === taskTypeName}
            onClick={() => onChange('TaskType', taskTypeName)}
            rightSection={<Count value={modelsCount} />}
          />
        ))}
      </nav>
      <Select label={t('language')} placeholder={t('anyLanguage')} data={LANGUAGES} clearable value={filters.language} onChange={(value) => onChange('language', value)} />
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

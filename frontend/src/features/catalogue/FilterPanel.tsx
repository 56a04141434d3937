import { NativeSelect, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { firstApi } from '@/api/first';
import { TaskIcon } from '@/components/TaskIcon';
import { useTaskNames } from '@/lib/useTaskNames';

import classes from './FilterPanel.module.css';
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
        <Choice label={t('all')} count={total} chosen={!filters.taskType} onChoose={() => onChange('TaskType', null)} />
        {isLoading && <Skeleton h={TO_COME} mt="xs" />}
        {categories.map(({ taskTypeName, modelsCount }) => (
          <Choice
            key={taskTypeName}
            icon={<TaskIcon taskType={taskTypeName} />}
            label={names(taskTypeName)}
            count={modelsCount}
            chosen={filters.taskType === taskTypeName}
            onChoose={() => onChange('TaskType', taskTypeName)}
          />
        ))}
      </nav>
      {/* Below the task types: their number is not known before. */}
      {!isLoading && (
        <NativeSelect
          label={t('language')}
          data={[
            { value: '', label: t('anyLanguage') },
            ...LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value })),
          ]}
          value={filters.language ?? ''}
          onChange={({ currentTarget: { value } }) => onChange('language', value || null)}
        />
      )}
    </Stack>
  );
}

interface ChoiceProps {
  icon?: ReactNode;
  label: string;
  count: number;
  chosen: boolean;
  onChoose: () => void;
}

function Choice({ icon, label, count, chosen, onChoose }: ChoiceProps) {
  return (
    <UnstyledButton className={classes.choice ?? ''} aria-current={chosen || undefined} onClick={onChoose}>
      {icon}
      <span className={classes.label}>{label}</span>
      <Text span size="sm" c="dimmed" ff="monospace">
        {count}
      </Text>
    </UnstyledButton>
  );
}

import { useTranslation } from 'react-i18next';

import { firstApi } from '@/api/first';

/** The name of a task type in the user's language; unknown ones keep the server's name. */
export function useTaskNames(): (taskType: string) => string {
  const { t, i18n } = useTranslation('Task');
  const { data = [] } = firstApi.useCoreGetTaskTypesQuery();
  return (taskType) =>
    i18n.exists(`Task:${taskType}`)
      ? t(taskType)
      : (data.find(({ name }) => name === taskType)?.displayName ?? taskType);
}

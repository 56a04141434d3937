import { Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { useNameCheck } from '@/lib/useNameCheck';

interface Props {
  value: string;
  check: ReturnType<typeof useNameCheck>;
  onChange: (value: string) => void;
}

/** The name of a new service, checked while it is typed. */
export function ServiceName({ value, check, onChange }: Props) {
  const { t } = useTranslation('Create');
  return (
    <div>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        maxLength={64}
        value={value}
        error={check.state === 'refused' ? (check.reason ?? t('nameRefused')) : null}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {check.state === 'free' && t('nameFree')}
        {check.state === 'checking' && t('nameChecking')}
      </Text>
    </div>
  );
}

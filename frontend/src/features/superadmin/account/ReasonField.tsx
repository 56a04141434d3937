import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { MOST_REASON } from './reason';

/** Why an administrator makes a change. The audit of the account shows it. */
export function ReasonField(props: TextInputProps) {
  const { t } = useTranslation('Admin');
  return (
    <TextInput
      label={t('reason')}
      description={t('hint.reason')}
      required
      maxLength={MOST_REASON}
      autoComplete="off"
      {...props}
    />
  );
}

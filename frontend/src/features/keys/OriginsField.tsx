import { Alert, Anchor, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { TagField } from '@/components/TagField';
import { ADDRESS_SEPARATORS } from '@/components/tagSeparators';

import { type KeyValues, lackingInPages } from './keyValues';
import { allowsAny, isNoOrigin, originsOf } from './origins';

interface Props {
  form: UseFormReturnType<KeyValues>;
  onSearchChange: (text: string) => void;
}

/** The sites whose pages may call with the key. Origins are shown as they are stored, and what is none is marked. */
export function OriginsField({ form, onSearchChange }: Props) {
  const { t } = useTranslation('Keys');
  const lacking = lackingInPages(form.values);
  const hint = (
    <>
      {t('originsHint')}{' '}
      <Anchor component={Link} to="/docs/limits#calls-from-web-pages-cors-allowed-origins" target="_blank" inherit>
        {t('originsDocumentation')}
      </Anchor>
    </>
  );
  return (
    <>
      <TagField
        label={t('origins')}
        description={hint}
        placeholder={form.values.origins.length ? undefined : t('noOrigins')}
        separators={ADDRESS_SEPARATORS}
        isWrong={isNoOrigin}
        onSearchChange={onSearchChange}
        {...form.getInputProps('origins')}
        value={form.values.origins}
        onChange={(tags) => form.setFieldValue('origins', originsOf(tags))}
      />
      {allowsAny(form.values.origins) && form.values.origins.length > 1 && (
        <Text component="output" size="sm" c="dimmed">
          {t('anyOriginAlready')}
        </Text>
      )}
      {lacking.length > 0 && (
        <Alert color="yellow">
          {[t('riskyInPages'), ...lacking.map((one) => t(`lackingInPages.${one}`))].join(' ')}
        </Alert>
      )}
    </>
  );
}

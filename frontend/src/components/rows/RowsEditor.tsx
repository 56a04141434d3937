import { Alert, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';

interface Props {
  title: string;
  hint: ReactNode;
  /** Said while there are no rows. */
  none: string;
  add: string;
  onAdd: () => void;
  raw: { text: string | null; broken: boolean; edit: (text: string) => void; show: (raw: boolean) => void };
  /** What the text must be. */
  shape: string;
  empty: boolean;
  readOnly: boolean;
  children: ReactNode;
}

/** A list of structured rows, and the same as JSON. */
export function RowsEditor({ title, hint, none, add, onAdd, raw, shape, empty, readOnly, children }: Props) {
  const { t } = useTranslation('Rows');
  const asText = raw.text !== null;
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between" align="center" gap="xs">
        <Title order={2} size="h3">
          {title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t('as')}
          value={asText ? 'json' : 'rows'}
          onChange={(value) => raw.show(value === 'json')}
          data={[
            { value: 'rows', label: t('rows'), disabled: raw.broken },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {asText ? (
        <>
          <Json value={raw.text ?? ''} label={title} {...(readOnly ? {} : { onChange: raw.edit })} />
          {raw.broken && (
            <Alert color="yellow" role="alert">
              {t('broken', { shape })}
            </Alert>
          )}
        </>
      ) : (
        <>
          {empty && <Text c="dimmed">{none}</Text>}
          {children}
          {!readOnly && (
            <Button w="fit-content" variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
              {add}
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

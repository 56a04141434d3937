import { Code, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Copy } from '@/components/code/Copy';

/** The address in the registry; the server sends none of a restricted image of another account. */
export function ImageAddress({ image }: { image: string }) {
  const { t } = useTranslation('Images');
  if (!image) return <Text c="dimmed">{t('hidden')}</Text>;
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{image}</Code>
      <Copy value={image} />
    </Group>
  );
}

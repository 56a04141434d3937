import { Box, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { DataImageInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';

import { DataImageAddress } from './DataImageAddress';
import { DataImageForm } from './DataImageForm';

interface Props {
  account: string;
  image: DataImageInfoData;
  own: boolean;
}

/** What the data image is: to be changed by its account, to be read by others. */
export function DataImageAbout({ account, image, own }: Props) {
  const { t } = useTranslation('DataImages');
  if (own) {
    return (
      <Stack gap="lg" maw={640}>
        <Text c="dimmed">{t('changeHint')}</Text>
        <DataImageForm key={JSON.stringify(image)} account={account} image={image} onDone={() => undefined} />
      </Stack>
    );
  }
  const parts = [
    ['image', <DataImageAddress key="image" image={image.image} />],
    [
      'sourcePath',
      <Group key="sourcePath" gap={4} wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere' }}>{image.sourcePath}</Code>
        <Copy value={image.sourcePath} />
      </Group>,
    ],
    ['accessMode', t(`mode.${image.accessMode}`)],
    ['imageAccountName', image.imageAccountName ?? image.id.accountId],
  ] as const;
  return (
    <Stack gap="md" maw={640} component="dl" m={0}>
      {parts.map(([name, shown]) => (
        <Box key={name}>
          <Text size="sm" c="dimmed" component="dt">
            {t(name)}
          </Text>
          <Box component="dd" m={0}>
            {shown}
          </Box>
        </Box>
      ))}
    </Stack>
  );
}

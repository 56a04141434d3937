import { Box, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ImageInfoData } from '@/api/generated/core.gen';

import { ImageAddress } from './ImageAddress';
import { ImageForm } from './ImageForm';

interface Props {
  account: string;
  image: ImageInfoData;
  own: boolean;
}

/** What the image is: to be changed by its account, to be read by others. */
export function ImageAbout({ account, image, own }: Props) {
  const { t } = useTranslation('Images');
  if (own) {
    return (
      <Stack gap="lg" maw={640}>
        <Text c="dimmed">{t('changeHint')}</Text>
        <ImageForm key={JSON.stringify(image)} account={account} image={image} onDone={() => undefined} />
      </Stack>
    );
  }
  const parts = [
    ['image', <ImageAddress key="image" image={image.image} />],
    ['access', t(`mode.${image.accessMode}`)],
    ['owner', image.imageAccountName ?? image.id.accountId],
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

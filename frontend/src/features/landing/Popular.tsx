import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Cards, CardsToCome } from '@/features/catalogue/ModelGrid';
import { usePublicModels } from '@/features/catalogue/useModels';

const SHOWN = 3;

export function Popular() {
  const { t } = useTranslation('Landing');
  const { data, isLoading } = usePublicModels({ onlyPublic: true, size: SHOWN, sort: 'popularity,desc' });
  if (isLoading) return <CardsToCome count={SHOWN} />;
  if (!data || data.records.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-labelledby="popular">
      <Title order={2} fz="lg" id="popular">
        {t('popular')}
      </Title>
      <Cards models={data.records} />
    </Stack>
  );
}

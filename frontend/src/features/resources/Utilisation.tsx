import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AmountsData, MeasuredData } from '@/api/generated/core.gen';
import { UtilisationBar } from '@/components/charts/UtilisationBar';
import { cores, mebibytes } from '@/lib/format/resources';

interface Props {
  capacity: AmountsData;
  allocated: AmountsData;
  /** What is in use, by whomever; a sum over servers is not measured. */
  used?: MeasuredData;
  columns?: number;
}

/** What there is of each resource, what instances hold of it, and what is in use. */
export function Utilisation({ capacity, allocated, used, columns = 1 }: Props) {
  const { t } = useTranslation('Resources');
  return (
    <SimpleGrid cols={{ base: 1, sm: columns }} verticalSpacing="xs">
      <UtilisationBar label={t('cores')} total={capacity.milliCpu} requested={allocated.milliCpu} used={used?.milliCpu ?? null} format={cores} />
      <UtilisationBar label={t('memory')} total={capacity.ramMb} requested={allocated.ramMb} used={used?.ramMb ?? null} format={mebibytes} />
      <UtilisationBar label={t('disk')} total={capacity.diskMb} requested={allocated.diskMb} used={used?.diskMb ?? null} format={mebibytes} />
      {capacity.gpu > 0 && <UtilisationBar label={t('gpus')} total={capacity.gpu} requested={allocated.gpu} />}
      {capacity.vramMb > 0 && <UtilisationBar label={t('vram')} total={capacity.vramMb} requested={allocated.vramMb} format={mebibytes} />}
    </SimpleGrid>
  );
}

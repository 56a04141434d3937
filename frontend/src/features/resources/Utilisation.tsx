import { SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AmountsData, MeasuredData } from '@/api/generated/core.gen';
import { UtilisationBar } from '@/components/charts/UtilisationBar';
import { cores, mebibytes } from '@/lib/format/resources';

interface Props {
  capacity: AmountsData;
  allocated: AmountsData;
  /** What is in use, by whomever. */
  used?: MeasuredData;
  /** What no instance holds. */
  free?: AmountsData;
  columns?: number;
}

/** What there is of each resource, what instances hold of it, what is in use, and what is free. */
export function Utilisation({ capacity, allocated, used, free, columns = 1 }: Props) {
  const { t } = useTranslation('Resources');
  const bar = (name: keyof AmountsData, label: string, format?: (value: number) => string) => (
    <UtilisationBar
      label={label}
      total={capacity[name]}
      requested={allocated[name]}
      used={used?.[name] ?? null}
      free={free?.[name]}
      format={format}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, sm: columns }} verticalSpacing="xs">
      {bar('milliCpu', t('cores'), cores)}
      {bar('ramMb', t('memory'), mebibytes)}
      {bar('diskMb', t('disk'), mebibytes)}
      {capacity.gpu > 0 && bar('gpu', t('gpus'))}
      {capacity.vramMb > 0 && bar('vramMb', t('vram'), mebibytes)}
    </SimpleGrid>
  );
}

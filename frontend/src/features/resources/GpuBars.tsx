import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { GpuUseData } from '@/api/generated/core.gen';
import { UtilisationBar } from '@/components/charts/UtilisationBar';
import { mebibytes } from '@/lib/format/resources';

/** The memory of each GPU: what instances hold of it, and what is in use; beside the name how busy its processor is. */
export function GpuBars({ gpus }: { gpus: readonly GpuUseData[] }) {
  const { t } = useTranslation('Resources');
  return (
    <Stack gap="xs">
      {gpus.map(({ gpuId, model, vramMb, allocatedVramMb, freeVramMb, usedVramMb, usagePercent }, index) => {
        const name = t('gpuOf', { number: index + 1, model });
        const label = usagePercent === null ? name : t('gpuBusy', { name, percent: usagePercent });
        return (
          <UtilisationBar
            key={gpuId}
            label={label}
            total={vramMb}
            requested={allocatedVramMb}
            used={usedVramMb}
            free={freeVramMb}
            format={mebibytes}
          />
        );
      })}
    </Stack>
  );
}

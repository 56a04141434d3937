import { Box, Button, Group, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { S3StorageData } from '@/api/generated/core.gen';
import { Reserved } from '@/components/Reserved';
import { formatBytes } from '@/lib/format/bytes';
import { formatNumber } from '@/lib/format/number';

import classes from './bucket.module.css';

const HEIGHT = 64;
const GIB = 2 ** 30;
/** Amounts with texts of the usual length. */
const USUAL: S3StorageData = {
  limitBytes: 100 * GIB,
  usedBytes: 20 * GIB,
  bucketBytes: 10 * GIB,
  datasetBytes: 10 * GIB,
  objects: 1000,
  objectLimitBytes: 5 * GIB,
};

/** How much of the account's storage its bucket and its datasets take. */
export function BucketStorage({ account }: { account: string }) {
  const { t } = useTranslation('Bucket');
  const { data, error, refetch } = coreApi.useCoreGetS3StorageQuery({ account });
  if (data) return <Use data={data} />;
  return (
    <Reserved usual={<Use data={USUAL} />}>
      {error ? (
        <Group gap="xs">
          <Text c="dimmed">{t('storageUnknown')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => void refetch()}>
            {t('Error:again')}
          </Button>
        </Group>
      ) : (
        <Skeleton maw={560} h="100%" />
      )}
    </Reserved>
  );
}

function Use({ data: { limitBytes, usedBytes, bucketBytes, datasetBytes, objects } }: { data: S3StorageData }) {
  const { t, i18n } = useTranslation('Bucket');
  const size = (bytes: number) => formatBytes(bytes, i18n.language);
  const rest = Math.max(0, usedBytes - bucketBytes - datasetBytes);
  const parts = [
    {
      name: 'bucket',
      bytes: bucketBytes,
      text: t('part.bucket', { size: size(bucketBytes), count: objects, shown: formatNumber(objects, i18n.language) }),
    },
    { name: 'datasets', bytes: datasetBytes, text: t('part.datasets', { size: size(datasetBytes) }) },
    ...(rest > 0 ? [{ name: 'other', bytes: rest, text: t('part.other', { size: size(rest) }) }] : []),
  ] as const;
  const free = Math.max(0, limitBytes - usedBytes);
  const share = (bytes: number) => `${limitBytes > 0 ? Math.min(100, (bytes / limitBytes) * 100) : 0}%`;
  const said = t('used', { used: size(usedBytes), limit: size(limitBytes) });
  return (
    <Box maw={560} mih={HEIGHT} component="section" aria-label={t('storage')}>
      <Text size="sm" mb={4}>
        {said}
      </Text>
      <VisuallyHidden>
        <meter
          aria-label={t('storage')}
          value={Math.min(usedBytes, limitBytes)}
          max={limitBytes}
          aria-valuetext={said}
        />
      </VisuallyHidden>
      <div className={classes.bar} aria-hidden>
        {parts
          .filter(({ bytes }) => bytes > 0)
          .map(({ name, bytes }) => (
            <div key={name} className={classes[name]} style={{ width: share(bytes) }} />
          ))}
      </div>
      <ul className={classes.parts}>
        {[...parts, { name: 'free' as const, text: t('part.free', { size: size(free) }) }].map(({ name, text }) => (
          <li key={name}>
            <span className={`${classes.key} ${classes[name]}`} aria-hidden />
            {text}
          </li>
        ))}
      </ul>
      {free === 0 && (
        <Text size="sm" c="red" component="output" display="block">
          {t('full')}
        </Text>
      )}
    </Box>
  );
}

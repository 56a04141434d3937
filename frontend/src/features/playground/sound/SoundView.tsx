import { Anchor, Group, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { toBase64 } from '@/lib/predict/base64';

import { peaksOf, type Sound } from './sound';
import classes from './SoundView.module.css';

const BARS = 120;

/** A player with a waveform and a download link. */
export function SoundView({ sound, label, name }: { sound: Sound; label: string; name: string }) {
  const { t } = useTranslation('Playground');
  const source = `data:${sound.type};base64,${toBase64(sound.bytes)}`;
  const peaks = peaksOf(sound, BARS);
  return (
    <Stack gap="xs">
      {peaks && (
        <svg viewBox={`0 0 ${BARS * 4} 48`} className={classes.wave} preserveAspectRatio="none" aria-hidden="true">
          {peaks.map((peak, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
            <rect key={index} x={index * 4} width={2.5} rx={1} y={24 - Math.max(1, peak * 23)} height={Math.max(2, peak * 46)} />
          ))}
        </svg>
      )}
      <Group wrap="nowrap">
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- what is said stands beside it as text */}
        <audio controls src={source} aria-label={label} style={{ flex: 1, minWidth: 0 }} />
        <Anchor href={source} download={`${name}.${sound.extension}`} aria-label={t('download')} title={t('download')}>
          <IconDownload size={20} aria-hidden />
        </Anchor>
      </Group>
    </Stack>
  );
}

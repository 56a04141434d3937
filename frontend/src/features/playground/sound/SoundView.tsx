import { ActionIcon, Anchor, Group, Text } from '@mantine/core';
import { IconDownload, IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { toBase64 } from '@/lib/predict/base64';

import { peaksOf, type Sound } from './sound';
import classes from './SoundView.module.css';

const BARS = 120;
const STEPS = 1000;

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.floor(seconds) : 0;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** A player whose position is set on the waveform; without a waveform, for packed formats, on a line. */
export function SoundView({ sound, label, name }: { sound: Sound; label: string; name: string }) {
  const { t } = useTranslation('Playground');
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  const source = `data:${sound.type};base64,${toBase64(sound.bytes)}`;
  const toggle = () => {
    if (playing) audio.current?.pause();
    // Refused by browsers without a gesture, and for sounds they cannot read.
    else void audio.current?.play().catch(() => setPlaying(false));
  };
  const seek = (share: number) => {
    if (audio.current && length > 0) audio.current.currentTime = share * length;
    setAt(share * length);
  };
  const share = length > 0 ? at / length : 0;
  return (
    <Group wrap="nowrap" gap="sm" data-testid="player">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- what is said stands beside it as text */}
      <audio
        ref={audio}
        src={source}
        aria-label={label}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget }) =>
          setLength(Number.isFinite(currentTarget.duration) ? currentTarget.duration : 0)
        }
      />
      <ActionIcon size="lg" radius="xl" variant="light" aria-label={t(playing ? 'pause' : 'play')} onClick={toggle}>
        {playing ? <IconPlayerPauseFilled size={18} aria-hidden /> : <IconPlayerPlayFilled size={18} aria-hidden />}
      </ActionIcon>
      <div className={classes.track}>
        <Wave sound={sound} share={share} />
        <input
          type="range"
          className={classes.slider}
          min={0}
          max={STEPS}
          value={Math.round(share * STEPS)}
          disabled={length === 0}
          aria-label={t('position')}
          aria-valuetext={clock(at)}
          onChange={({ currentTarget }) => seek(Number(currentTarget.value) / STEPS)}
        />
      </div>
      <Text size="sm" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
        {clock(at)} / {clock(length)}
      </Text>
      <Anchor href={source} download={`${name}.${sound.extension}`} aria-label={t('download')} title={t('download')}>
        <IconDownload size={20} aria-hidden />
      </Anchor>
    </Group>
  );
}

const FLAT = Array.from({ length: BARS }, () => 0);

/** `share`: the part that was played. */
function Wave({ sound, share }: { sound: Sound; share: number }) {
  const peaks = peaksOf(sound, BARS) ?? FLAT;
  return (
    <svg viewBox={`0 0 ${peaks.length * 4} 48`} className={classes.wave} preserveAspectRatio="none" aria-hidden="true">
      {peaks.map((peak, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
        <rect
          key={index}
          data-played={index < share * peaks.length || undefined}
          x={index * 4}
          width={2.5}
          rx={1}
          y={24 - Math.max(1, peak * 23)}
          height={Math.max(2, peak * 46)}
        />
      ))}
    </svg>
  );
}

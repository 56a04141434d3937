import { Box, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './charts.module.css';
import { useFormats } from './formats';

interface Props {
  /** What is used: CPU, memory. */
  label: string;
  total: number;
  /** What is reserved, whether it is used or not. */
  requested: number;
  /** What is really used; null if nobody measures it. */
  used?: number | null;
  /** What may still be reserved; by default what is neither reserved nor used. */
  free?: number;
  format?: (value: number) => string;
}

/** How much of something is used, only requested, and free. */
export function UtilisationBar({
  label,
  total,
  requested,
  used = null,
  free = Math.max(0, total - Math.max(requested, used ?? 0)),
  format,
}: Props) {
  const { t } = useTranslation('Chart');
  const formats = useFormats();
  const text = format ?? formats.value;
  const part = (value: number) => `${total > 0 ? Math.min(100, Math.max(0, (value / total) * 100)) : 0}%`;
  const parts = [
    ...(used === null ? [] : [['used', used] as const]),
    ['requested', requested] as const,
    ['free', free] as const,
  ];
  const said = parts.map(([name, value]) => `${t(name)} ${text(value)}`).join(', ');
  return (
    <Tooltip
      label={parts.map(([name, value]) => (
        <div key={name}>
          <span className={`${classes.key} ${classes[name]}`} />
          {t(name)}: {text(value)}
        </div>
      ))}
    >
      <Box>
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm">{label}</Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {t('of', { part: text(used ?? requested), total: text(total) })}
          </Text>
        </Group>
        <VisuallyHidden>
          <meter aria-label={label} value={Math.min(total, used ?? requested)} max={total} aria-valuetext={said} />
        </VisuallyHidden>
        <div className={classes.bar} aria-hidden>
          <div className={classes.requested} style={{ width: part(requested) }} />
          {used !== null && <div className={classes.used} style={{ width: part(used) }} />}
        </div>
      </Box>
    </Tooltip>
  );
}

/** What the parts of bars mean, once for all bars that stand together. `measured`: some show what is really used. */
export function UtilisationLegend({ measured = false }: { measured?: boolean }) {
  const { t } = useTranslation('Chart');
  const parts = [...(measured ? (['used'] as const) : []), 'requested' as const, 'free' as const];
  return (
    <ul className={classes.parts} aria-label={t('partsOfBars')}>
      {parts.map((name) => (
        <li key={name}>
          <span className={`${classes.key} ${classes[name]}`} aria-hidden />
          {t(name)}
        </li>
      ))}
    </ul>
  );
}

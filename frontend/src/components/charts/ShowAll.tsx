import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './charts.module.css';
import type { ChartFormats } from './formats';
import type { Span } from './sync';

interface Props {
  label: string;
  /** The reader works with this chart, not with one that shares its axis. */
  said: boolean;
  /** What the chart shows now. */
  span: Span;
  formats: ChartFormats;
  onClick: () => void;
}

/** Ends a zoom; screen readers hear which part is shown. */
export function ShowAll({ label, said, span: [from, to], formats, onClick }: Props) {
  const { t } = useTranslation('Chart');
  return (
    <>
      <Button
        className={classes.whole ?? ''}
        size="compact-xs"
        variant="default"
        aria-label={t('showAllOf', { label })}
        onClick={onClick}
      >
        {t('showAll')}
      </Button>
      <VisuallyHidden aria-live="polite">
        {said && t('shown', { from: formats.moment(from, false), to: formats.moment(to, false) })}
      </VisuallyHidden>
    </>
  );
}

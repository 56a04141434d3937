import classes from './IndicatorDot.module.css';

interface Props {
  tone: 'danger' | 'warning' | 'info' | null;
  /** Inline instead of at the corner of a button. */
  inline?: boolean;
  faint?: boolean;
  /** Accessible text. */
  label?: string;
}

export function IndicatorDot({ tone, inline = false, faint = false, label }: Props) {
  if (!tone) return null;
  const place = inline ? classes.inline : classes.corner;
  return (
    <span
      className={`${classes.dot ?? ''} ${place ?? ''}`}
      data-tone={tone}
      data-faint={faint || undefined}
      data-testid="indicator"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    />
  );
}

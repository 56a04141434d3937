import { Button, Text } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { memo, type UIEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { LogLine } from './logBuffer';
import classes from './Logs.module.css';

/** Height of a line in the style sheet. */
const LINE = 20;
/** Lines above and below the window, so that scrolling shows no gaps. */
const AROUND = 10;
const UNKNOWN_HEIGHT = 600;

const sightOf = ({ scrollTop, clientHeight }: HTMLElement) => ({
  top: scrollTop,
  height: clientHeight || UNKNOWN_HEIGHT,
});

interface Props {
  lines: readonly LogLine[];
  /** Why there is no line. */
  empty: string;
}

/** Only the lines in sight are elements. It stays at the end while lines come, until somebody scrolls away from there. */
export const LogView = memo(function LogView({ lines, empty }: Props) {
  const { t } = useTranslation('Diagnostics');
  const place = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [{ top, height }, setSight] = useState({ top: 0, height: UNKNOWN_HEIGHT });
  const before = useRef(lines);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const first = lines[0]?.number ?? 0;
    const kept = before.current.findIndex(({ number }) => number >= first);
    before.current = lines;
    if (atEnd) element.scrollTop = element.scrollHeight;
    // What somebody reads stays in its place although lines above it are forgotten.
    else if (kept > 0) element.scrollTop -= kept * LINE;
    setSight(sightOf(element));
  }, [lines, atEnd]);
  const scrolled = ({ currentTarget }: UIEvent<HTMLDivElement>) => {
    setSight(sightOf(currentTarget));
    setAtEnd(currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight < LINE);
  };
  const from = Math.max(0, Math.min(Math.floor(top / LINE), lines.length) - AROUND);
  const shown = lines.slice(from, from + Math.ceil(height / LINE) + 2 * AROUND);
  return (
    <div className={classes.frame}>
      <div
        ref={place}
        className={classes.log}
        role="log"
        aria-live="off"
        aria-label={t('tab.logs')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        {lines.length === 0 && <Text c="dimmed">{empty}</Text>}
        <div className={classes.all} style={{ height: lines.length * LINE }}>
          <div className={classes.shown} style={{ transform: `translateY(${from * LINE}px)` }}>
            {shown.map((line) => (
              <div key={line.number} className={classes.line} data-level={line.level}>
                <span className={classes.number} aria-hidden>
                  {line.number}
                </span>
                {line.gap ? t('gap') : line.text}
              </div>
            ))}
          </div>
        </div>
      </div>
      {!atEnd && (
        <Button
          className={classes.end ?? ''}
          size="xs"
          leftSection={<IconArrowDown size={14} aria-hidden />}
          onClick={() => setAtEnd(true)}
        >
          {t('toEnd')}
        </Button>
      )}
    </div>
  );
});

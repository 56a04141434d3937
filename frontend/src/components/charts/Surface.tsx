import { VisuallyHidden } from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './charts.module.css';
import { useDrag } from './useDrag';

/** One series at the cursor. `y` is the pixel of its point, if it has one. */
export interface ReadoutRow {
  name: string;
  colour: string;
  text: string;
  y?: number | null;
}

export interface Readout {
  title: string;
  rows: readonly ReadoutRow[];
  /** What happened at this time. */
  notes?: readonly string[];
  total?: string;
}

/** How a chart shows a part of its time axis. */
export interface Zoom {
  /** Shows what lies between two pixels. */
  between: (from: number, to: number) => void;
  /** Shows a part around the cursor that is `factor` times as long. */
  by: (factor: number) => void;
  all: () => void;
}

interface Props {
  label: string;
  /** The pixel of each time, ascending, from the left edge of the chart. */
  places: readonly number[];
  plot: { top: number; height: number; width: number };
  /** The index at the cursor; -1 without one. */
  index: number;
  /** The cursor is moved in this chart, not in one that shares it. */
  own: boolean;
  onMove: (index: number | null) => void;
  readout: (index: number) => Readout;
  zoom?: Zoom;
  children: ReactNode;
}

const IN = 0.5;
const OUT = 2;
const FACTORS: Record<string, number> = { '+': IN, '=': IN, '-': OUT };

/**
 * The cursor of a chart, for pointers and for the keyboard, with the values at it. The chart itself is `children`. Keys go to an
 * invisible slider, which the arrow keys and the gestures of screen readers on phones move.
 * A chart with `zoom` shows the part over which the pointer is dragged; plus and minus do it by key, a double click or Escape shows all.
 */
export function Surface({ label, places, plot, index, own, onMove, readout, zoom, children }: Props) {
  const { t } = useTranslation('Chart');
  const [byKey, setByKey] = useState(false);
  const place = places[index];
  const shown = place === undefined ? null : readout(index);
  const { dragged, cancel, handlers } = useDrag(zoom?.between);
  const point = (event: PointerEvent<HTMLDivElement>) => {
    setByKey(false);
    onMove(nearest(places, event.clientX - event.currentTarget.getBoundingClientRect().left));
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    setByKey(true);
    onMove(Number(event.currentTarget.value));
  };
  // The first key then moves from the newest time.
  const focus = () => {
    setByKey(true);
    onMove(index < 0 ? places.length - 1 : index);
  };
  const press = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    const factor = ctrlKey || metaKey ? undefined : FACTORS[key];
    if (factor !== undefined) zoom?.by(factor);
    if (key !== 'Escape') return;
    cancel();
    if (dragged) return;
    onMove(null);
    zoom?.all();
  };
  return (
    <>
      <div
        className={classes.surface}
        {...handlers}
        onPointerMove={(event) => {
          point(event);
          handlers.onPointerMove(event);
        }}
        onPointerDown={(event) => {
          point(event);
          handlers.onPointerDown(event);
        }}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse') onMove(null);
        }}
        onDoubleClick={zoom?.all}
      >
        <div aria-hidden>{children}</div>
        <input
          className={classes.keys}
          type="range"
          aria-label={t(zoom ? 'exploreAndZoom' : 'explore', { label })}
          aria-valuetext={shown?.title ?? t('noCursor')}
          min={0}
          max={Math.max(0, places.length - 1)}
          value={index < 0 ? places.length - 1 : index}
          onChange={choose}
          onFocus={focus}
          onKeyDown={press}
          onBlur={() => onMove(null)}
        />
      </div>
      {dragged && (
        <div
          className={classes.dragged}
          style={{
            left: Math.min(...dragged),
            width: Math.abs(dragged[1] - dragged[0]),
            top: plot.top,
            height: plot.height,
          }}
          data-testid="chart-dragged"
        />
      )}
      {place !== undefined && (
        <div className={classes.cursor} style={{ left: place, top: plot.top, height: plot.height }} />
      )}
      {place !== undefined &&
        shown?.rows.map(
          ({ name, colour, y }) =>
            typeof y === 'number' && (
              <div key={name} className={classes.point} style={{ left: place, top: y, background: colour }} />
            ),
        )}
      {place !== undefined && own && shown && <ReadoutBox readout={shown} place={place} width={plot.width} />}
      <VisuallyHidden aria-live="polite">{byKey && own && shown ? spoken(shown, t('total')) : ''}</VisuallyHidden>
    </>
  );
}

function ReadoutBox({
  readout: { title, rows, notes = [], total },
  place,
  width,
}: {
  readout: Readout;
  place: number;
  width: number;
}) {
  const { t } = useTranslation('Chart');
  const side = place > width / 2 ? { right: width - place + 10 } : { left: place + 10 };
  return (
    <div className={classes.readout} style={side} aria-hidden data-testid="chart-readout">
      {title}
      <dl>
        {rows.map(({ name, colour, text }) => (
          <div key={name} style={{ display: 'contents' }}>
            <span className={classes.swatch} style={{ background: colour }} />
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        {total !== undefined && (
          <div className={classes.total} style={{ display: 'contents' }}>
            <span />
            <dt>{t('total')}</dt>
            <dd>{total}</dd>
          </div>
        )}
      </dl>
      {notes.length > 0 && <div style={{ whiteSpace: 'pre-line' }}>{notes.join('\n')}</div>}
    </div>
  );
}

/** The time is the slider's own text. */
function spoken({ rows, notes = [], total }: Readout, word: string): string {
  const parts = rows.map(({ name, text }) => `${name}: ${text}`);
  return [...parts, ...notes, ...(total === undefined ? [] : [`${word}: ${total}`])].join('; ');
}

function nearest(places: readonly number[], x: number): number | null {
  let best: number | null = null;
  let distance = Infinity;
  places.forEach((place, index) => {
    if (Math.abs(place - x) >= distance) return;
    distance = Math.abs(place - x);
    best = index;
  });
  return best;
}

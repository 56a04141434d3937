import { type PointerEvent, useState } from 'react';

/** Shorter drags are clicks. */
const LEAST_PIXELS = 8;

export interface Drag {
  /** The pixels between which the pointer was dragged so far; null without a drag. */
  dragged: readonly [number, number] | null;
  cancel: () => void;
  handlers: Record<
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel',
    (event: PointerEvent<HTMLElement>) => void
  >;
}

const xOf = (event: PointerEvent<HTMLElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left;

/** A drag along the time axis with the main button. Fingers move the cursor and scroll the page instead. */
export function useDrag(onDragged: ((from: number, to: number) => void) | undefined): Drag {
  const [span, setSpan] = useState<readonly [number, number] | null>(null);
  const dragged = span && Math.abs(span[1] - span[0]) >= LEAST_PIXELS ? span : null;
  const cancel = () => setSpan(null);
  return {
    dragged,
    cancel,
    handlers: {
      onPointerDown: (event) => {
        if (!onDragged || event.button !== 0 || event.pointerType === 'touch') return;
        const x = xOf(event);
        setSpan([x, x]);
        // Outside of the chart, too, until the button is released.
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event) => {
        const x = xOf(event);
        setSpan((now) => now && [now[0], x]);
      },
      onPointerUp: () => {
        cancel();
        if (dragged) onDragged?.(...dragged);
      },
      onPointerCancel: cancel,
    },
  };
}

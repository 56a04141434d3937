import type { Zoom } from './Surface';
import type { Shared, Span } from './sync';
import { closer, partBetween } from './zoom';

/** Pixels of the time axis. */
interface Place {
  left: number;
  width: number;
}

/**
 * What a chart shows of its time axis, and how a reader changes it. `own`: its own times, before any chart has told its span.
 * `step`: seconds between two values. Where the axis lies depends on the labels of what is shown.
 */
export function useZoom(
  shared: Shared,
  own: Span,
  step: number,
): { axis: Span; zoomed: boolean; zoomAt: (place: Place) => Zoom } {
  const whole = shared.span ?? own;
  // A live chart goes on; what has left it cannot be shown.
  const chosen = shared.zoom && shared.zoom[1] > whole[0] ? shared.zoom : null;
  const axis = chosen ?? whole;
  const zoomAt = ({ left, width }: Place): Zoom => {
    const timeAt = (pixel: number) =>
      clamp(axis[0] + ((pixel - left) / Math.max(1, width)) * (axis[1] - axis[0]), axis);
    return {
      between: (from, to) => shared.show(partBetween(whole, timeAt(from), timeAt(to), step)),
      by: (factor) => shared.show(closer(whole, axis, shared.at?.time ?? axis[1], factor, step)),
      all: () => shared.show(null),
    };
  };
  return { axis, zoomed: chosen !== null, zoomAt };
}

const clamp = (time: number, [from, to]: Span) => Math.min(to, Math.max(from, time));

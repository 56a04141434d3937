import { useCallback, useEffect, useId, useState, useSyncExternalStore } from 'react';

/** A part of the time axis, in seconds since 1970. */
export type Span = readonly [from: number, to: number];

/** The cursor and the time axis that charts share. Times are seconds since 1970. */
interface State {
  /** Where the cursor is, and the chart that moves it; null without a cursor. */
  at: { time: number; chart: string } | null;
  /** The span that contains the times of all charts; null before any has times. */
  span: Span | null;
  /** The part of the span that is shown; null if it is shown whole. */
  zoom: Span | null;
}

class Group {
  state: State = { at: null, span: null, zoom: null };
  readonly listeners = new Set<() => void>();
  private readonly spans = new Map<string, Span>();

  move(at: State['at']): void {
    if (at?.time === this.state.at?.time && at?.chart === this.state.at?.chart) return;
    this.change({ ...this.state, at });
  }

  zoom(zoom: Span | null): void {
    this.change({ ...this.state, zoom });
  }

  span(chart: string, span: Span | null): void {
    if (span) this.spans.set(chart, span);
    else this.spans.delete(chart);
    const all = [...this.spans.values()];
    const next = all.length
      ? ([Math.min(...all.map(([from]) => from)), Math.max(...all.map(([, to]) => to))] as const)
      : null;
    if (next?.[0] === this.state.span?.[0] && next?.[1] === this.state.span?.[1]) return;
    this.change({ ...this.state, span: next });
  }

  private change(state: State): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** Groups with a mounted chart, by key. */
const groups = new Map<string, Group>();

function groupOf(key: string): Group {
  const group = groups.get(key) ?? new Group();
  groups.set(key, group);
  return group;
}

export interface Shared extends State {
  /** This chart moves the cursor. */
  own: boolean;
  move: (time: number | null) => void;
  /** Shows a part of the time axis in all charts; null shows all of it. */
  show: (part: Span | null) => void;
}

/** Charts with the same key have one cursor and one time axis; a chart without a key is alone. `from` and `to` are its own times. */
export function useShared(key: string | undefined, from: number | undefined, to: number | undefined): Shared {
  const chart = useId();
  const [alone] = useState(() => new Group());
  const find = useCallback(() => (key === undefined ? alone : groupOf(key)), [key, alone]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const group = find();
      group.listeners.add(listener);
      return () => {
        group.listeners.delete(listener);
        if (key !== undefined && group.listeners.size === 0) groups.delete(key);
      };
    },
    [find, key],
  );
  const state = useSyncExternalStore(
    subscribe,
    useCallback(() => find().state, [find]),
  );
  useEffect(() => {
    const group = find();
    group.span(chart, from === undefined || to === undefined ? null : [from, to]);
    return () => group.span(chart, null);
  }, [find, chart, from, to]);
  const move = useCallback((time: number | null) => find().move(time === null ? null : { time, chart }), [find, chart]);
  const show = useCallback((part: Span | null) => find().zoom(part), [find]);
  return { ...state, own: state.at?.chart === chart, move, show };
}

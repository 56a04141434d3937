const TICK_MS = 15_000;
const SECOND_MS = 1000;

/** The time for all relative moments of a page: one timer, which stops while nothing shows one. */
export class Clock {
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private time = Date.now();

  constructor(private readonly tickMs = TICK_MS) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) this.start();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearInterval(this.timer);
    };
  };

  /** The same value between two ticks, as React requires; up to a tick old. */
  readonly now = (): number => {
    if (this.listeners.size === 0) this.time = Date.now() - (Date.now() % this.tickMs);
    return this.time;
  };

  private start(): void {
    this.timer = setInterval(() => {
      this.time = Date.now();
      for (const listener of this.listeners) listener();
    }, this.tickMs);
  }
}

export const clock = new Clock();
/** For what counts seconds. */
export const seconds = new Clock(SECOND_MS);

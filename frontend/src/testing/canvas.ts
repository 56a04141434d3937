import { vi } from 'vitest';

/** Replaces the canvas, which jsdom lacks, and records what is drawn. */
export function canvas(): { lines: number } {
  const drawn = { lines: 0 };
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo() {}
      lineTo() {
        drawn.lines += 1;
      }
      rect() {}
      arc() {}
      closePath() {}
    },
  );
  const context = new Proxy(
    {},
    { get: (_, name) => (name === 'measureText' ? () => ({ width: 10 }) : () => undefined), set: () => true },
  );
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never);
  return drawn;
}

import type { ReactNode } from 'react';

const SAME = { gridArea: '1 / 1', minWidth: 0 };

/** Keeps the place that something usually takes, in each language and window, for what is shown instead of it. */
export function Reserved({ usual, children }: { usual: ReactNode; children: ReactNode }) {
  return (
    <div style={{ display: 'grid' }}>
      <div style={{ ...SAME, visibility: 'hidden' }} aria-hidden>
        {usual}
      </div>
      <div style={SAME}>{children}</div>
    </div>
  );
}

import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { Overlays } from './Overlays';
import { scaleOf } from './scale';

const PLOT = { top: 10, height: 100, width: 300 };

const xOf = (time: number) => (time < 0 || time > 100 ? null : 50 + time);

function overlays() {
  return render(
    <Overlays
      thresholds={[{ name: 'adds instances', value: 10 }]}
      scale={scaleOf([0, 20])}
      plot={PLOT}
      xOf={xOf}
      left={50}
      right={8}
      marks={[
        { time: 20, text: 'More instances: 1 → 3', kind: 'up' },
        { time: 200, text: 'outside', kind: 'down' },
      ]}
    />,
  );
}

test('a threshold lies at its value', () => {
  overlays();
  expect(screen.getByText('adds instances').parentElement).toHaveStyle({ top: '60px', left: '50px', right: '8px' });
});

test('an event lies at its time, and one outside of the chart is left out', () => {
  const { container } = overlays();
  expect(container.querySelector('[data-kind=up]')).toHaveStyle({ left: '70px', top: '10px', height: '100px' });
  expect(container.querySelector('[data-kind=down]')).toBeNull();
});

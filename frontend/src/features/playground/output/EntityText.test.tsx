import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { EntityLegend } from './EntityText';

test('the legend has each type once, in order, with its number', () => {
  show(
    <EntityLegend
      entities={[
        { type: 'PER', start: 0, end: 1 },
        { type: 'LOC', start: 2, end: 3 },
        { type: 'PER', start: 4, end: 5 },
      ]}
    />,
  );
  expect(screen.getByTestId('legend')).toHaveTextContent(/^LOC1PER2$/);
});

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { StateDot } from '@/components/StateDot';
import en from '@/locales/en.json';
import { show } from '@/testing/render';

import { useStartText } from './useStartText';

function Shown({ state, seconds }: { state: string; seconds: number | null }) {
  const startText = useStartText();
  return (
    <div data-testid="shown">
      <StateDot state={state} /> <span>{startText(state, seconds)}</span>
    </div>
  );
}

const STATES = Object.keys(en.State).filter((state) => !state.startsWith('TASK_'));
const CASES = (['en', 'ru'] as const).flatMap((language) =>
  STATES.flatMap((state) => [null, 40].map((seconds) => [language, state, seconds] as const)),
);

test.each(CASES)('in %s, %s with a start of %s seconds says no word twice', (language, state, seconds) => {
  show(<Shown state={state} seconds={seconds} />, { language });
  const words: string[] = (screen.getByTestId('shown').textContent ?? '').toLowerCase().match(/\p{L}+/gu) ?? [];
  expect(words).toEqual([...new Set(words)]);
});

test('a start that is under way tells how long it takes', () => {
  show(<Shown state="STARTING" seconds={40} />);
  expect(screen.getByTestId('shown')).toHaveTextContent('Starting about 40 s');
});

test('that a running service answers at once is the same as its word', () => {
  show(<Shown state="RUNNING" seconds={40} />);
  expect(screen.getByTestId('shown')).toHaveTextContent(/^Running$/);
});

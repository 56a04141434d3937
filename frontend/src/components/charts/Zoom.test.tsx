import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { canvas } from '@/testing/canvas';
import { show } from '@/testing/render';

import { TimeSeries } from './TimeSeries';

const FIRST = Date.UTC(2026, 10, 1) / 1000;
const MINUTE = 60;
const times = Array.from({ length: 101 }, (_, at) => FIRST + at * MINUTE);
const chart = (title: string, props: object = {}) => (
  <TimeSeries
    title={title}
    times={times}
    series={[{ name: 'cpu', values: times.map((_, at) => at) }]}
    step={MINUTE}
    timeZone="UTC"
    {...props}
  />
);

/** A document without layout is 600 pixels wide: 60 for the axis and 8 beside it. */
const xOf = (minute: number) => 60 + (minute * (600 - 68)) / 100;

beforeAll(() => {
  canvas();
  Element.prototype.setPointerCapture = () => undefined;
});

const surfaceOf = (title: string) => {
  const surface = screen.getByRole('slider', { name: new RegExp(`^${title}`) }).parentElement;
  if (!surface) throw new Error('no chart');
  return surface;
};

function drag(title: string, from: number, to: number, pointerType = 'mouse') {
  const surface = surfaceOf(title);
  fireEvent.pointerDown(surface, { clientX: xOf(from), button: 0, pointerType });
  fireEvent.pointerMove(surface, { clientX: xOf(to), pointerType });
  return surface;
}

const values = (title: string) =>
  Number(screen.getByRole('slider', { name: new RegExp(`^${title}`) }).getAttribute('max')) + 1;

beforeEach(() => {
  show(
    <>
      {chart('CPU', { syncKey: 'zoomed' })}
      {chart('Memory', { syncKey: 'zoomed' })}
      {chart('Alone')}
    </>,
  );
});

test('what the pointer is dragged over is shown, in all charts with the same axis', () => {
  const surface = drag('CPU', 20, 40);
  expect(screen.getByTestId('chart-dragged')).toHaveStyle({ left: `${xOf(20)}px` });
  fireEvent.pointerUp(surface);
  expect(screen.queryByTestId('chart-dragged')).not.toBeInTheDocument();
  expect([values('CPU'), values('Memory'), values('Alone')]).toEqual([21, 21, 101]);
  expect(screen.getByText('From Nov 1, 00:20:00 to Nov 1, 00:40:00 is shown')).toBeInTheDocument();
});

test('a double click shows all again, and so does the button', async () => {
  fireEvent.pointerUp(drag('CPU', 20, 40));
  fireEvent.doubleClick(surfaceOf('Memory'));
  expect(values('CPU')).toBe(101);
  fireEvent.pointerUp(drag('CPU', 20, 40));
  await userEvent.click(screen.getByRole('button', { name: 'CPU: show all' }));
  expect([values('CPU'), values('Memory')]).toEqual([101, 101]);
  expect(screen.queryByRole('button', { name: /show all/ })).not.toBeInTheDocument();
});

test('plus and minus zoom around the cursor, and Escape shows all', () => {
  const slider = screen.getByRole('slider', { name: /^CPU/ });
  fireEvent.focus(slider);
  fireEvent.change(slider, { target: { value: '50' } });
  fireEvent.keyDown(slider, { key: '+' });
  expect(values('CPU')).toBe(51);
  expect(slider).toHaveAttribute('aria-valuetext', 'Nov 1, 00:50:00');
  fireEvent.keyDown(slider, { key: '+' });
  expect(values('CPU')).toBeLessThan(30);
  fireEvent.keyDown(slider, { key: '-' });
  expect(values('CPU')).toBe(51);
  fireEvent.keyDown(slider, { key: 'Escape' });
  expect(values('CPU')).toBe(101);
});

test('a click, a finger, and a drag that Escape ends change nothing', () => {
  fireEvent.pointerUp(drag('CPU', 20, 21));
  fireEvent.pointerUp(drag('CPU', 20, 60, 'touch'));
  const surface = drag('CPU', 20, 60);
  fireEvent.keyDown(screen.getByRole('slider', { name: /^CPU/ }), { key: 'Escape' });
  fireEvent.pointerUp(surface);
  expect([values('CPU'), values('Memory')]).toEqual([101, 101]);
});

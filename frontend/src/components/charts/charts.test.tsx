import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { canvas } from '@/testing/canvas';
import { show } from '@/testing/render';

import { DayBars } from './DayBars';
import { Sparkline } from './Sparkline';
import { TimeSeries } from './TimeSeries';
import { UtilisationBar } from './UtilisationBar';

const DAY = 86_400;
const FIRST = Date.UTC(2026, 10, 1) / 1000;
const days = [FIRST, FIRST + DAY, FIRST + 2 * DAY];
const ner = { name: 'acme/ner', values: [1, 0, 3], texts: ['1.00', '0.00', '3.00'] };
const tts = { name: 'acme/tts', values: [2, null, 0.5], texts: ['2.00', '', '0.50'] };

const chart = (props: object = {}) => (
  <DayBars title="Spending" times={days} series={[ner, tts]} timeZone="UTC" {...props} />
);

describe('bars by day', () => {
  test('stack what is above zero', () => {
    const { container } = show(chart());
    expect(container.querySelectorAll('rect[data-series="acme/ner"]')).toHaveLength(2);
    expect(container.querySelectorAll('rect[data-series="acme/tts"]')).toHaveLength(2);
    const [lower, upper] = container.querySelectorAll('g > rect');
    expect(Number(upper?.getAttribute('y')) + Number(upper?.getAttribute('height'))).toBeCloseTo(
      Number(lower?.getAttribute('y')),
      5,
    );
    expect(Number(upper?.getAttribute('height'))).toBeCloseTo(2 * Number(lower?.getAttribute('height')), 5);
  });

  test('the keyboard moves the cursor, and the values are announced', async () => {
    const { container } = show(chart({ totals: ['3.00', '0.00', '3.50'] }));
    const slider = screen.getByRole('slider', { name: /^Spending: chart/ });
    expect(slider).toHaveAttribute('aria-valuetext', 'no cursor');
    await userEvent.click(screen.getByRole('button', { name: 'Show as a table' }));
    await userEvent.click(screen.getByRole('button', { name: 'Show as a table' }));
    const again = screen.getByRole('slider');
    fireEvent.focus(again);
    expect(again).toHaveAttribute('aria-valuetext', 'Tue, November 3, 2026');
    const live = container.querySelector('[aria-live=polite]');
    expect(live).toHaveTextContent('acme/ner: 3.00; acme/tts: 0.50; Total: 3.50');
    fireEvent.change(again, { target: { value: '0' } });
    expect(live).toHaveTextContent('acme/ner: 1.00; acme/tts: 2.00; Total: 3.00');
    expect(screen.getByTestId('chart-readout')).toHaveTextContent('Sun, November 1, 2026');
    fireEvent.keyDown(again, { key: 'Escape' });
    expect(screen.queryByTestId('chart-readout')).not.toBeInTheDocument();
  });

  test('as a table they have the same values, newest first', async () => {
    show(chart(), { language: 'ru' });
    const button = screen.getByRole('button', { name: 'Показать таблицей' });
    await userEvent.click(button);
    expect(button).toHaveAttribute('aria-pressed', 'true');
    const rows = screen.getAllByRole('row').map((row) =>
      within(row)
        .queryAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
    expect(rows).toEqual([[], ['3.00', '0.50', '3,5'], ['0.00', '–', '0'], ['1.00', '2.00', '3']]);
    expect(screen.getByRole('rowheader', { name: 'вт, 3 ноября 2026 г.' })).toBeInTheDocument();
  });

  test.each([
    ['loading', { times: undefined }],
    ['empty', { times: days, series: [{ name: 'a', values: [null, null, null] }] }],
    ['full', {}],
  ])('%s has the same height', (_, props) => {
    const { container } = show(chart({ height: 180, ...props }));
    expect(container.querySelector('figure > div:nth-of-type(2)')).toHaveStyle({ height: '180px' });
  });

  test('empty says so', () => {
    show(chart({ times: [] }));
    expect(screen.getByText('No data')).toBeInTheDocument();
    expect(screen.queryByRole('slider')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Show as a table' })).toBeDisabled();
  });
});

const lines = (title: string, props: object = {}) => (
  <TimeSeries
    title={title}
    times={[FIRST, FIRST + 60, FIRST + 120]}
    series={[{ name: 'cpu', values: [1, null, 3] }]}
    step={60}
    timeZone="UTC"
    {...props}
  />
);

describe('time series', () => {
  test('the cursor and the table name what happened and the thresholds', async () => {
    const { container } = show(
      lines('CPU', {
        marks: [{ time: FIRST + 118, text: 'More instances: 1 → 3', kind: 'up' }],
        thresholds: [{ name: 'adds instances', value: 2 }],
      }),
    );
    fireEvent.focus(await screen.findByRole('slider'));
    expect(container.querySelector('[aria-live=polite]')).toHaveTextContent('cpu: 3; More instances: 1 → 3');
    await userEvent.click(screen.getByRole('button', { name: 'Show as a table' }));
    expect(screen.getByRole('cell', { name: 'More instances: 1 → 3' })).toBeInTheDocument();
    expect(screen.getByText('adds instances: 2')).toBeInTheDocument();
  });

  let drawn = { lines: 0 };
  beforeAll(() => {
    drawn = canvas();
  });

  test('are drawn, and say what is at the cursor; a gap stays one', async () => {
    const { container } = show(lines('Load'));
    await vi.waitFor(() => expect(container.querySelector('.uplot canvas')).toBeInTheDocument());
    await vi.waitFor(() => expect(drawn.lines).toBeGreaterThan(0));
    const slider = screen.getByRole('slider', { name: /^Load/ });
    fireEvent.focus(slider);
    expect(screen.getByTestId('chart-readout')).toHaveTextContent('cpu3');
    fireEvent.change(slider, { target: { value: '1' } });
    expect(screen.getByTestId('chart-readout')).toHaveTextContent('cpu–');
  });

  test('with one key they share the cursor and the time axis; others do not', () => {
    show(
      <>
        {lines('CPU', { syncKey: 'page' })}
        {lines('Memory', { syncKey: 'page', times: [FIRST + 60, FIRST + 120, FIRST + 240] })}
        {lines('Alone')}
      </>,
    );
    const [cpu, memory, alone] = screen.getAllByRole('slider');
    if (!cpu) throw new Error('no chart');
    fireEvent.focus(cpu);
    fireEvent.change(cpu, { target: { value: '2' } });
    expect(memory).toHaveAttribute('aria-valuetext', cpu.getAttribute('aria-valuetext'));
    expect(memory).toHaveValue('1');
    expect(alone).toHaveAttribute('aria-valuetext', 'no cursor');
    expect(screen.getAllByTestId('chart-readout')).toHaveLength(1);
    const lefts = [...document.querySelectorAll<HTMLElement>('[class*=cursor]')].map((element) => element.style.left);
    expect(lefts).toHaveLength(2);
    expect(lefts[0]).toBe(lefts[1]);
  });
});

test('a sparkline has a name, and a place of its own without values', () => {
  const { container } = show(<Sparkline label="calls per hour" values={[1, null, 2, 3]} />);
  expect(screen.getByRole('img', { name: 'calls per hour' })).toBeInTheDocument();
  expect(container.querySelectorAll('g')).toHaveLength(2);
  show(<Sparkline label="errors" values={[null]} />);
  expect(screen.getByRole('img', { name: 'errors: No data' })).toHaveAttribute('height', '24');
});

test('a utilisation bar says what is used, requested and free', () => {
  const { container } = show(<UtilisationBar label="CPU" total={8} requested={4} used={3.5} />);
  expect(screen.getByRole('meter', { name: 'CPU' })).toHaveAttribute('aria-valuetext', 'Used 3.5, Reserved 4, Free 4');
  expect([...container.querySelectorAll<HTMLElement>('[class*=bar] > div')].map((part) => part.style.width)).toEqual([
    '50%',
    '43.75%',
  ]);
});

test('a utilisation bar says what is free as it is told: what is used need not be reserved', () => {
  show(<UtilisationBar label="CPU" total={8} requested={2} used={6} free={6} />);
  expect(screen.getByRole('meter', { name: 'CPU' })).toHaveAttribute('aria-valuetext', 'Used 6, Reserved 2, Free 6');
});

test('a utilisation bar without measurements shows requests', () => {
  show(<UtilisationBar label="GPU" total={2} requested={2} />, { language: 'ru' });
  expect(screen.getByRole('meter', { name: 'GPU' })).toHaveAttribute('aria-valuetext', 'Зарезервировано 2, Свободно 0');
  expect(screen.getByText('2 из 2')).toBeInTheDocument();
});

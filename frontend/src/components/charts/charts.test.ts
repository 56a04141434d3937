import type { MantineTheme } from '@mantine/core';
import { describe, expect, test } from 'vitest';

import { variablesOf } from '@/app/theme';
import { STANDARD } from '@/lib/brand';

import { formatsOf } from './formats';
import { lonely } from './Lines';
import { axisWidth, indexAt, labelled, scaleOf, uncut } from './scale';
import { coloursOf, isEmpty, withGaps } from './series';
import { pieces } from './Sparkline';

type Rgb = [number, number, number];
const NAMES = [1, 2, 3, 4, 5, 6, 7, 8].map((slot) => `--mlp-chart-${slot}`);
const themes = variablesOf(STANDARD)({} as MantineTheme);

const linear = (hex: string): Rgb =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (one: string, another: string) => {
  const [light = 0, dark = 0] = [luminance(linear(one)), luminance(linear(another))].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const times = (rows: readonly Rgb[], [r, g, b]: Rgb): Rgb => rows.map(([x, y, z]) => x * r + y * g + z * b) as Rgb;
function oklab(rgb: Rgb): Rgb {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt) as Rgb,
  );
}
/** Machado, Oliveira, Fernandes 2009, severity 1. */
const VISION: Record<string, Rgb[]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

describe.each(['light', 'dark'] as const)('colours of series in the %s theme', (theme) => {
  const variables: Record<string, string> = themes[theme];
  const colours = NAMES.map((name) => variables[name] ?? '');
  test('stand out from every surface', () => {
    const surfaces = [variables['--mantine-color-body'] ?? '', variables['--mlp-surface'] ?? ''];
    expect(
      [...colours, variables['--mlp-chart-rest'] ?? ''].filter((colour) =>
        surfaces.some((surface) => contrast(colour, surface) < 3),
      ),
    ).toEqual([]);
  });

  test.each(Object.keys(VISION))('differ for %s vision', (kind) => {
    const seen = colours.map((colour) =>
      oklab(times(VISION[kind] ?? [], linear(colour)).map((part) => Math.min(1, Math.max(0, part))) as Rgb),
    );
    const close = seen
      .flatMap((one, at) =>
        seen
          .slice(at + 1)
          .map(
            (another, by) =>
              [
                `${at + 1}/${at + 2 + by}`,
                Math.hypot(...one.map((part, axis) => part - (another[axis] ?? 0))),
              ] as const,
          ),
      )
      .filter(([, distance]) => distance < (kind === 'full' ? 0.15 : 0.08));
    expect(close).toEqual([]);
  });
});

describe('the colour of a series', () => {
  test('depends on its name, not on its place or its company', () => {
    const alone = coloursOf([{ name: 'acme/ner' }]).get('acme/ner');
    expect(coloursOf([{ name: 'acme/tts' }, { name: 'acme/ner' }]).get('acme/ner')).toBe(alone);
    expect(coloursOf([{ name: 'acme/ner' }, { name: 'acme/tts' }]).get('acme/ner')).toBe(alone);
  });

  test('differs within a chart of eight', () => {
    expect(new Set(coloursOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => ({ name }))).values()).size).toBe(
      8,
    );
  });

  test('is the given one in each chart, and no other name takes it', () => {
    const colours = coloursOf([
      { name: 'reserved', slot: 2 },
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name })),
    ]);
    expect(colours.get('reserved')).toBe('var(--mlp-chart-3)');
    expect(new Set(colours.values()).size).toBe(8);
  });

  test('is grey for the rest', () => {
    expect(coloursOf([{ name: 'others', rest: true }]).get('others')).toBe('var(--mlp-chart-rest)');
  });
});

describe('gaps', () => {
  test('missing times become times without values', () => {
    const { times: all, series } = withGaps(
      [0, 10, 40],
      [{ name: 'a', values: [1, 2, 3], texts: ['1', '2', '3'] }],
      10,
    );
    expect(all).toEqual([0, 10, 20, 40]);
    expect(series[0]).toMatchObject({ values: [1, 2, null, 3], texts: ['1', '2', '', '3'] });
  });

  test('interrupt a sparkline', () => {
    expect(pieces([1, null, 2, 3])).toEqual([
      [[0, 1]],
      [
        [2, 2],
        [3, 3],
      ],
    ]);
  });

  test('a value between two gaps is a point', () => {
    expect(lonely([null, 1, null, 2, 3, null, 4])).toEqual([1, 6]);
  });

  test('a chart without any value is empty', () => {
    expect(isEmpty([1, 2], [{ name: 'a', values: [null, null] }])).toBe(true);
    expect(isEmpty([1], [{ name: 'a', values: [0] }])).toBe(false);
  });
});

describe('axes', () => {
  test.each([
    [
      [0, 7.2],
      [0, 2, 4, 6, 8],
    ],
    [
      [0.3, null],
      [0, 0.1, 0.2, 0.3],
    ],
    [[], [0, 0.5, 1]],
    [
      [-3, 5],
      [-4, -2, 0, 2, 4, 6],
    ],
  ])('%j: %j', (values, ticks) => {
    expect(scaleOf(values).ticks).toEqual(ticks);
  });

  test('bytes go by powers of two', () => {
    expect(scaleOf([3 * 1024 ** 3], 4, true).ticks).toEqual([0, 1, 2, 3].map((part) => part * 1024 ** 3));
  });

  test('labels leave each other room', () => {
    expect(labelled(30, 320, 64)).toEqual([0, 6, 12, 18, 24]);
  });

  test('a vertical axis is as wide as its longest label', () => {
    expect(axisWidth(['0', '0.5', '1'])).toBe(60);
    expect(axisWidth(['0', '1 мин 30 с', '2 мин 30 с'])).toBe(80);
  });

  test.each([
    [8, ['10:00', '25 Nov', '']],
    [17, ['10:00', '25 Nov', '10:30']],
  ])('with %d pixels on the right, labels of times that would be cut are left out', (right, labels) => {
    expect(
      uncut([0, 50, 100], ['10:00', '25 Nov', '10:30'], { from: 0, to: 100, width: 200, left: 60, right }),
    ).toEqual(labels);
  });

  test.each([
    [5, false, -1],
    [14, false, 0],
    [16, false, 1],
    [19, true, 0],
    [99, true, 2],
  ])('%d is at the right time', (time, start, index) => {
    expect(indexAt([10, 20, 30], time, start)).toBe(time === 5 && !start ? 0 : index);
  });
});

describe('texts', () => {
  const noon = Date.UTC(2026, 10, 12, 12, 30) / 1000;
  test('are those of the language', () => {
    const [ru, en] = [formatsOf('ru', 'UTC'), formatsOf('en', 'UTC')];
    expect(ru.value(1234.5)).toBe('1\u00a0234,5');
    expect(en.value(1234.5)).toBe('1,234.5');
    expect(ru.axis(12_400)).toBe('12,4\u00a0тыс.');
    expect(en.axis(12_400)).toBe('12.4K');
    expect(ru.time(noon, 86_400)).toBe('12 нояб.');
    expect(en.time(noon, 86_400)).toBe('Nov 12');
    expect(en.time(noon, 3600)).toBe('12:30');
    expect(en.time(noon - 12.5 * 3600, 3600)).toBe('Nov 12');
    expect(en.moment(noon, true)).toBe('Thu, November 12, 2026');
  });

  test('a time that is none is a dash on the axis, in the tooltip and in the table', () => {
    const en = formatsOf('en', 'UTC');
    expect([1, 60, 86_400].map((step) => en.time(Number.NaN, step))).toEqual(['–', '–', '–']);
    expect([true, false].map((days) => en.moment(Number.NaN, days))).toEqual(['–', '–']);
  });
});

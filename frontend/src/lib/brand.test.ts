import type { MantineTheme } from '@mantine/core';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import shipped from '../../public/options/options.json';

import { variablesOf } from '@/app/theme';
import { server } from '@/testing/server';

import { applyBrand, brandOf, loadBrand, type Options, STANDARD } from './brand';

const OPTIONS = shipped as Options;
const options = (brand: object): Options => ({ default: 'x', hosts: {}, brands: { x: brand } });

describe('the brand of a host', () => {
  const hosts = { 'ml.example.org': 'a', '*.example.org': 'b', '*.cloud.example.org': 'c' };
  const given: Options = {
    default: 'd',
    hosts,
    brands: { a: { title: 'A' }, b: { title: 'B' }, c: { title: 'C' }, d: { title: 'D' } },
  };
  test.each([
    ['ml.example.org', 'A'],
    ['ML.Example.Org', 'A'],
    ['other.example.org', 'B'],
    ['x.cloud.example.org', 'C'],
    ['example.org', 'D'],
    ['localhost', 'D'],
  ])('%s is %s', (host, title) => {
    expect(brandOf(given, host).title).toBe(title);
  });

  test('what it leaves out, or gets wrong, is as in the standard one', () => {
    const wrong = {
      accent: ['red'],
      radius: 900,
      icon: 'javascript:alert(1)',
      logo: '//evil.example/x.svg',
      header: 'huge',
      canonical: 'nowhere',
      fontFamily: 7,
      title: '',
      landing: { title: 'x', text: { en: 5 }, picture: 'javascript:alert(1)' },
    };
    expect(brandOf(options(wrong), 'localhost')).toEqual(STANDARD);
    expect(brandOf(options({}), 'localhost')).toEqual(STANDARD);
  });

  test('two ship with the platform', () => {
    expect(brandOf(OPTIONS, 'localhost').title).toBe('MLPlace');
    expect(brandOf(OPTIONS, 'cloud.localhost')).toMatchObject({ title: 'ML Cloud', header: 'branded' });
  });

  test.each([
    [() => HttpResponse.json(shipped), 'MLPlace'],
    [() => new HttpResponse('no', { status: 404 }), 'MLPlace'],
    [() => HttpResponse.text('{'), 'MLPlace'],
    [() => HttpResponse.error(), 'MLPlace'],
  ])('options that cannot be read make the standard one', async (answer, title) => {
    server.use(http.get('*/options/options.json', answer));
    expect((await loadBrand()).title).toBe(title);
  });
});

test('the document carries title, icon and canonical address', () => {
  applyBrand({ ...STANDARD, title: 'Mine', icon: '/options/i.svg', canonical: 'https://ml.example.org' });
  expect(document.title).toBe('Mine');
  expect(document.querySelector('link[rel=icon]')).toHaveAttribute('href', '/options/i.svg');
  expect(document.querySelector('link[rel=canonical]')).toHaveAttribute('href', 'https://ml.example.org/');
});

const channel = (text: string) => {
  const part = Number.parseInt(text, 16) / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
const luminance = (hex: string) =>
  0.2126 * channel(hex.slice(1, 3)) + 0.7152 * channel(hex.slice(3, 5)) + 0.0722 * channel(hex.slice(5, 7));
const contrast = (one: string, another: string) => {
  const [light = 0, dark = 0] = [luminance(one), luminance(another)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

test.each(Object.keys(OPTIONS.brands))('the accent of %s can be read in both themes', (name) => {
  const brand = brandOf({ ...OPTIONS, default: name, hosts: {} }, '');
  const { accent } = brand;
  const { light, dark } = variablesOf(brand)({} as MantineTheme);
  const red = '--mantine-color-error';
  const step = (number: number) => accent[number] ?? '';
  const pairs: [string, string, string][] = [
    ['text on a button, light', '#ffffff', step(6)],
    ['text on a button, dark', '#ffffff', step(5)],
    ['text on the band, light', '#ffffff', step(7)],
    ['text on the band, dark', '#ffffff', step(9)],
    ['a link, light', step(7), '#ffffff'],
    ['a link on a surface, light', step(7), '#f6f7f9'],
    ['a link, dark', step(3), '#14161a'],
    ['a link on a surface, dark', step(3), '#1b1e24'],
    ['a link in what floats, dark', step(3), '#21252c'],
    ...[light, dark].map((theme): [string, string, string] => [
      'text on a button that deletes',
      '#ffffff',
      theme['--mantine-color-red-filled'] ?? '#ffffff',
    ]),
    ['an error, light', light[red] ?? '', light['--mlp-surface'] ?? ''],
    ['an error in what floats, dark', dark[red] ?? '', '#21252c'],
  ];
  expect(
    pairs
      .filter(([, one, another]) => contrast(one, another) < 4.5)
      .map(([what, one, another]) => [what, contrast(one, another).toFixed(2)]),
  ).toEqual([]);
});

test('the border of fields and unchecked boxes has a contrast of 3:1 on each surface', () => {
  const { light, dark } = variablesOf(STANDARD)({} as MantineTheme);
  const faint = [
    [light, '#ffffff'],
    [dark, '#21252c'],
  ].flatMap(([theme, field]) => {
    const { '--mlp-control-border': border = '', ...other } = theme as Record<string, string>;
    return [
      field as string,
      other['--mantine-color-body'] ?? '',
      other['--mlp-surface'] ?? '',
      other['--mlp-selected'] ?? '',
    ].filter((surface) => !(contrast(border, surface) >= 3));
  });
  expect(faint).toEqual([]);
});

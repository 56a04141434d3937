import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** These check what they write: an invalid date must not take a page away. */
const CHECKED = new Set(['src/lib/format/time.ts', 'src/components/format/When.tsx', 'src/features/billing/period.ts']);

/** A formatter that a file makes, unless it is one of dates: numbers and lists throw at nothing. */
const HARMLESS = /\bconst (\w+) = (?:kept\(.*?)?new Intl\.(?!DateTimeFormat|RelativeTimeFormat)/g;
/** What throws at a date that is none. */
const THROWS = /(?<of>\w+|\))\s*\??\.(?<what>format(?:Range)?(?:ToParts)?|toISOString|toLocale(?:Date|Time)String)\(/g;

/** The places where a file writes a date without knowing that it is one. */
function uncheckedIn(code: string): string[] {
  const harmless = new Set([...code.matchAll(HARMLESS)].map(([, name]) => name));
  const chained = /new Intl\.(?!DateTimeFormat|RelativeTimeFormat)\w+\([^)]*\)\.format\(/g;
  return [...code.replaceAll(chained, '').matchAll(THROWS)].flatMap(([text, of = '']) =>
    harmless.has(of) ? [] : [text],
  );
}

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(({ name }) => /\.tsx?$/.test(name) && !/\.(?:test|gen|d)\.tsx?$/.test(name))
  .map((file) => join(file.parentPath, file.name));

test('dates are only written by what checks them', () => {
  const unchecked = files
    .filter((file) => !CHECKED.has(file))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8');
      return /Intl\.(?:DateTime|RelativeTime)Format|new Date\(|toISOString|toLocale/.test(code)
        ? uncheckedIn(code).map((text) => `${file}: ${text}`)
        : [];
    });
  expect(unchecked).toEqual([]);
});

test('what throws at an invalid date is found, and what writes numbers is not', () => {
  expect(
    uncheckedIn(`
    const dates = new Intl.DateTimeFormat('en');
    const numbers = new Intl.NumberFormat('en');
    dates.format(Date.parse(day)); numbers.format(1); (days ? dates : others).format(2); dates.formatRange(1, 2);
    new Intl.DateTimeFormat('en', { day: 'numeric' }).format(Date.parse(day)); new Intl.ListFormat('en').format(names);
    new Date(at).toISOString(); written(dates, day);`),
  ).toEqual(['dates.format(', ').format(', 'dates.formatRange(', ').format(', ').toISOString(']);
});

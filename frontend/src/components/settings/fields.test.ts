import { describe, expect, test } from 'vitest';

import { changes, faultIn, type FieldSpec, isLocked, placed, rebased, shown, valueAt, withValue } from './fields';

const FIELDS: FieldSpec[] = [
  { path: 'displayName', kind: 'text' },
  { path: 'timeouts.predictTimeoutSec', kind: 'number', min: 1 },
  { path: 'timeouts.fitTimeoutSec', kind: 'number', optional: true },
  { path: 'languages', kind: 'tags' },
  { path: 'retries.timeoutsMs', kind: 'numbers' },
  { path: 'fittable', kind: 'switch' },
  { path: 'volumes', kind: 'jsonValue' },
];
const SOURCE = {
  displayName: null,
  timeouts: { podStartTimeoutSec: 9, predictTimeoutSec: 30, fitTimeoutSec: 600 },
  languages: ['ru'],
  retries: { timeoutsMs: [5] },
  fittable: true,
  volumes: [],
};

const after = (path: string, value: unknown) => changes(FIELDS, withValue(shown(FIELDS, SOURCE), path, value), SOURCE);

describe('changes', () => {
  test('nothing changed, nothing sent', () => {
    expect(changes(FIELDS, shown(FIELDS, SOURCE), SOURCE)).toEqual({});
  });

  test('an emptied text goes back to its default', () => {
    expect(after('displayName', 'New')).toEqual({ displayName: 'New' });
    const named = { ...SOURCE, displayName: 'Old' };
    expect(changes(FIELDS, withValue(shown(FIELDS, named), 'displayName', ''), named)).toEqual({ displayName: null });
  });

  test('a block goes with what the form does not show', () => {
    expect(after('timeouts.predictTimeoutSec', 60)).toEqual({
      timeouts: { podStartTimeoutSec: 9, predictTimeoutSec: 60, fitTimeoutSec: 600 },
    });
    expect(after('timeouts.fitTimeoutSec', '')).toEqual({
      timeouts: { podStartTimeoutSec: 9, predictTimeoutSec: 30, fitTimeoutSec: null },
    });
  });

  test('numbers are numbers again, JSON is what it says, a switch is what it is', () => {
    expect(after('retries.timeoutsMs', ['100', '200'])).toEqual({ retries: { timeoutsMs: [100, 200] } });
    expect(after('volumes', '[{"a":1}]')).toEqual({ volumes: [{ a: 1 }] });
    expect(after('fittable', false)).toEqual({ fittable: false });
  });
});

test.each<[FieldSpec, unknown, string | null]>([
  [{ path: 'a', kind: 'number' }, '', 'required'],
  [{ path: 'a', kind: 'number', optional: true }, '', null],
  [{ path: 'a', kind: 'number', min: 1 }, 0, 'positive'],
  [{ path: 'a', kind: 'numbers' }, ['1', 'x'], 'numbers'],
  [{ path: 'a', kind: 'jsonText' }, '{', 'json'],
  [{ path: 'a', kind: 'jsonText' }, '', null],
  [{ path: 'a', kind: 'jsonValue' }, '[]', null],
])('%o with %o: %s', (field, value, fault) => {
  expect(faultIn(field, value)).toBe(fault);
});

test('a path that is not there has no value', () => {
  expect(valueAt({ a: 1 }, 'a.b.c')).toBeUndefined();
});

describe('placed', () => {
  test.each([
    ['languages', 'languages'],
    ['languages.1', 'languages'],
    ['timeouts.predictTimeoutSec', 'timeouts.predictTimeoutSec'],
    ['timeouts', 'timeouts.predictTimeoutSec'],
  ])('an error of %s stands at %s', (name, path) => {
    expect(placed([name], FIELDS)).toEqual({ at: { [path]: name }, rest: [] });
  });

  test('an error of something else belongs to no field', () => {
    expect(placed(['image', 'language'], FIELDS)).toEqual({ at: {}, rest: ['image', 'language'] });
  });
});

test('what the user changed stays when the server has other values, the rest is new', () => {
  const before = shown(FIELDS, SOURCE);
  const edited = withValue(before, 'displayName', 'Mine');
  const now = shown(FIELDS, { ...SOURCE, displayName: 'Theirs', fittable: false });
  const next = rebased(FIELDS, edited, before, now);
  expect([valueAt(next, 'displayName'), valueAt(next, 'fittable')]).toEqual(['Mine', false]);
});

test.each([
  [null, true],
  ['', true],
  [false, true],
  [[], true],
  [true, false],
  [[5], false],
])('a stored %o is locked without its right: %s', (stored, locked) => {
  expect(isLocked({ path: 'a', kind: 'switch', needs: 'r' }, { a: stored }, () => false)).toBe(locked);
  expect(isLocked({ path: 'a', kind: 'switch', needs: 'r' }, { a: stored }, () => true)).toBe(false);
});

import { expect, test } from 'vitest';

import { faultOfRow, formatTime, parseTime, rowsOf, scheduleOf } from './scheduleTimes';

test.each(['00:00', '09:05', '23:59'])('%s is a time of the day', (text) => {
  expect(formatTime(parseTime(text) ?? { hour: -1, minute: -1 })).toBe(text);
});

test.each(['24:00', '9:05', '12:60', '', '12', 'ab:cd', '12:00:00'])('%s is none', (text) => {
  expect(parseTime(text)).toBeNull();
});

test('rows come back as they went', () => {
  const rows = [{ start: '08:00', end: '20:30', min: 1, max: 4 }];
  expect(rowsOf(scheduleOf(rows))).toEqual(rows);
});

test.each([
  [{ start: '8:00', end: '20:00', min: 1, max: 2 }, 'time'],
  [{ start: '08:00', end: '20:00', min: 3, max: 2 }, 'bounds'],
  [{ start: '08:00', end: '20:00', min: '', max: 2 }, 'bounds'],
  [{ start: '22:00', end: '06:00', min: 0, max: 0 }, null],
])('%o: %s', (row, fault) => {
  expect(faultOfRow(row)).toBe(fault);
});

import { describe, expect, test } from 'vitest';

import { COUNT, faultOfNumber, MONEY, numberOf, textOf } from './limitNumbers';

describe('faultOfNumber', () => {
  test.each([
    ['1', null],
    ['9007199254740991', null],
    ['1 000 000', null],
    ['0', 'least'],
    ['-5', 'least'],
    ['\u22125', 'least'],
    ['2.7', 'whole'],
    ['1,5', 'whole'],
    ['1e3', 'whole'],
    ['1 00', 'whole'],
    ['abc', 'whole'],
    ['0x10', 'whole'],
    ['Infinity', 'whole'],
    ['9007199254740992', 'most'],
    ['99999999999999999999', 'most'],
  ])('a count of %s: %s', (text, fault) => expect(faultOfNumber(text, COUNT)).toBe(fault));

  test.each([
    ['0', null],
    ['0,5', null],
    ['.5', null],
    ['5.', null],
    ['0,001', null],
    ['1 000,25', null],
    ['0.000000001', null],
    ['9000000000', null],
    ['1234567.123456789', null],
    ['-0.01', 'least'],
    ['1e30', 'number'],
    ['1.5.1', 'number'],
    ['9000000000.1', 'most'],
    ['0.0000000001', 'decimals'],
    ['0.5000000000', null],
    ['8999999999.123456789', 'digits'],
    ['1,000', 'thousands'],
    ['12,500', 'thousands'],
    ['1,000,000', 'number'],
  ])('an amount of %s: %s', (text, fault) => expect(faultOfNumber(text, MONEY)).toBe(fault));
});

test.each([
  ['', null],
  [' ', null],
  ['0,5', 0.5],
  ['1\u00a0000', 1000],
  ['\u22125', -5],
  ['1\u202f000,5', 1000.5],
])('%s is %s', (text, number) => expect(numberOf(text)).toBe(number));

test.each([
  [null, ''],
  [undefined, ''],
  [0, '0'],
  [1e-9, '0.000000001'],
  [0.1, '0.1'],
  [9e9, '9000000000'],
  [100_000, '100000'],
])('%s is written as %s', (value, text) => expect(textOf(value)).toBe(text));

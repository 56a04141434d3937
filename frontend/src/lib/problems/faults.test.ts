import { expect, test } from 'vitest';

import { problemOf } from '@/api/problem';
import { createI18n } from '@/lib/i18n';
import { TEXTS } from '@/testing/render';

import { wordsOf } from './words';

const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/g, ' ');

test.each([
  [
    'too_long',
    { max: '12000' },
    'Слишком длинно. Наибольшее число символов: 12 000.',
    'Too long. Characters at most: 12 000.',
  ],
  ['one_of', { allowed: 'RED, BLUE' }, 'Выберите одно из значений: RED, BLUE.', 'Choose one of: RED, BLUE.'],
  [
    'wrong_type',
    { expected: 'integer' },
    'Значение должно быть другого вида: целое число.',
    'The value must be of another kind: a whole number.',
  ],
  [
    'bounds',
    { min: 'minInstances', max: 'maxInstances' },
    'maxInstances не может быть меньше, чем minInstances.',
    'maxInstances must not be less than minInstances.',
  ],
  ['too_many_bytes', { max: '65536' }, 'Слишком много данных. Предел: 64 КиБ.', 'Too much data. The limit: 64 KiB.'],
  ['newer_rule', {}, 'words of the server', 'words of the server'],
  ['at_most', {}, 'words of the server', 'words of the server'],
])('the rule %s with %o', (rule, args, russian, english) => {
  const problem = problemOf(400, {
    code: 'mlp.core.validation_error',
    args: { field: 'words of the server' },
    violations: [{ path: 'field', rule, args }],
  });
  const texts = (['ru', 'en'] as const).map((language) =>
    plain(wordsOf(problem, createI18n(language, TEXTS[language])).faults[0]?.text ?? null),
  );
  expect(texts).toEqual([russian, english]);
});

test("invalid values are listed with their rules, or with the server's words where it names none", () => {
  const problem = problemOf(400, {
    code: 'mlp.core.validation_error',
    message: 'm',
    args: { name: 'too long', other: 'odd' },
  });
  expect(wordsOf(problem, createI18n('en', TEXTS.en)).faults).toEqual([
    { path: 'name', text: 'too long' },
    { path: 'other', text: 'odd' },
  ]);
});

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { Warnings } from './Warnings';

const EMPTY = { code: 'empty_values', args: { number: '2', line: '4', column: '$t(title) {{line}}' } };
const TEXT = '2 empty values, the first in line 4, column x';

test('findings are shown in the language of the page, with the names of columns as they are', () => {
  show(<Warnings dataset={{ warning: TEXT, warnings: [EMPTY, { code: 'same_label', args: {} }] }} />, {
    language: 'ru',
  });
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Пустых значений: 2. Первое — в строке 4, столбец $t(title) {{line}}.',
    'У всех строк одна и та же метка.',
  ]);
});

test.each([[[]], [[{ code: 'of_a_later_release', args: {} }]]])(
  'the text of the service is shown when there are no known codes: %j',
  (warnings) => {
    show(<Warnings dataset={{ warning: TEXT, warnings }} />);
    expect(screen.getByText(TEXT)).toBeInTheDocument();
  },
);

test('nothing is shown without a warning', () => {
  show(<Warnings dataset={{ warning: null, warnings: [] }} />);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import type { UploadFault } from './faults';
import { useFaultText } from './useFaultText';

const GIB = 2 ** 30;
const FILE = { name: 'a.csv', size: 6 * GIB };

function Said({ fault }: { fault: UploadFault }) {
  return <p data-testid="said">{useFaultText()(fault)}</p>;
}

const CASES: [UploadFault, string, string][] = [
  [
    { kind: 'wrongFormat', name: 'a.csv', endings: ['.json', '.jsonl'] },
    'a.csv has the wrong format. Choose a file with the ending .json, .jsonl.',
    'Неверный формат файла a.csv. Выберите файл с окончанием .json, .jsonl.',
  ],
  [{ kind: 'wrongFormat', name: 'a.csv', endings: [] }, 'a.csv has the wrong format.', 'Неверный формат файла a.csv.'],
  [
    { kind: 'tooLarge', ...FILE, limit: 5 * GIB },
    'a.csv is too large: it has 6 GiB, and a file may have 5 GiB.',
    'Файл a.csv слишком большой: в нём 6 ГиБ, а можно до 5 ГиБ.',
  ],
  [
    { kind: 'tooLarge', name: 'a.csv', size: 5 * GIB + 1, limit: 5 * GIB },
    'a.csv is too large: it has 5 368 709 121 bytes, and a file may have 5 368 709 120 bytes.',
    'Файл a.csv слишком большой: в нём 5 368 709 121 байт, а можно до 5 368 709 120 байт.',
  ],
  [
    { kind: 'tooLarge', ...FILE, limit: null },
    'a.csv is too large: it has 6 GiB, and a server on the way takes less.',
    'Файл a.csv слишком большой: в нём 6 ГиБ, а сервер на пути принимает меньше.',
  ],
  [
    { kind: 'noRoom', ...FILE, free: GIB },
    'a.csv is too large: it has 6 GiB, and the storage of the account has room for 1 GiB.',
    'Файл a.csv слишком большой: в нём 6 ГиБ, а места для него в хранилище аккаунта — 1 ГиБ.',
  ],
  [
    { kind: 'tooSmall', name: 'a.csv' },
    'a.csv is empty. Choose a file with content.',
    'Файл a.csv пустой. Выберите файл с содержимым.',
  ],
  [
    { kind: 'tooMany', count: 1200 },
    'Too many files: 1 200. Choose one.',
    'Слишком много файлов: 1 200. Выберите один.',
  ],
  [{ kind: 'tooMany', count: null }, 'Too many files. Choose one.', 'Слишком много файлов. Выберите один.'],
  [{ kind: 'failed', name: '$t(drop) {{x}}' }, '$t(drop) {{x}} was not uploaded.', 'Файл $t(drop) {{x}} не загружен.'],
];

const spaces = (text: string | null) => text?.replaceAll(/\s/g, ' ');

test.each(CASES)('%o', async (fault, english, russian) => {
  const view = show(<Said fault={fault} />);
  expect(spaces((await screen.findByTestId('said')).textContent)).toBe(english);
  view.unmount();
  show(<Said fault={fault} />, { language: 'ru' });
  expect(spaces((await screen.findByTestId('said')).textContent)).toBe(russian);
});

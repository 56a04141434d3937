import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { createI18n } from '@/lib/i18n';
import { TEXTS, show } from '@/testing/render';

import { Said } from './Said';

test.each([
  ['ru', 'Экземпляр 7 завершился с ошибкой. Причина — в подробностях и в его логах', 'Подробности'],
  ['en', 'Instance 7 failed. The details and its logs say why', 'Details'],
] as const)("an event in %s, with the server's words behind details", async (language, text, details) => {
  show(<Said kind="event" code="INSTANCE_FAILED" args={{ instanceId: 7 }} message="Instance 7: out of memory" />, {
    language,
  });
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.getByText(/out of memory/)).not.toBeVisible();
  await userEvent.click(screen.getByText(details));
  expect(screen.getByText(/out of memory/)).toBeVisible();
});

test.each([
  ['NEWER', { instanceId: 7 }],
  ['INSTANCE_FAILED', {}],
  ['__proto__', {}],
])('the event %s with %o is shown as it came', async (code, args) => {
  show(<Said kind="event" code={code} args={args} message="as it came" />, { language: 'ru' });
  expect(await screen.findByText('as it came')).toBeVisible();
});

test('the reason of a state is said', () => {
  expect(createI18n('ru', TEXTS.ru).t('Problems:reason.NoImage')).toBe(
    'У сервиса нет образа: выберите его в настройках',
  );
});

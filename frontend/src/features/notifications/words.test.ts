import { expect, test } from 'vitest';

import type { NotificationData } from '@/api/generated/core.gen';
import { createI18n, type Language } from '@/lib/i18n';
import { TEXTS } from '@/testing/render';

import { wordsOf } from './words';

const ONE: NotificationData = {
  id: '1',
  type: 'PIPELINE_OPERATION',
  severity: 'INFO',
  textMessage: 'as it came',
  createdAt: '2026-11-21T12:00:00Z',
  readAt: null,
  entity: null,
  operationType: null,
  entityDisplayName: null,
  expirationDate: null,
  notBeforeDate: null,
  grafanaLicenseDashboardUrl: null,
  textKey: null,
  textArgs: null,
};

function said(about: Partial<NotificationData>, language: Language = 'en') {
  return wordsOf({ ...ONE, ...about }, createI18n(language, TEXTS[language]).t);
}

test.each([
  [{ operationType: 'RUN' }, 'Start: done', 'Запуск: выполнено'],
  [{ operationType: 'RELOAD', severity: 'WARNING' }, 'Update: stopped', 'Обновление: отменено'],
  [{ operationType: 'CREATE' }, 'Created', 'Создано'],
  [
    { operationType: 'BLOCK', severity: 'ERROR' },
    'The account is blocked: its balance is below zero',
    'Аккаунт заблокирован: баланс ниже нуля',
  ],
  [{ type: 'SERVER_UNAVAILABLE', severity: 'ERROR' }, 'The server does not respond', 'От сервера нет вестей'],
  [
    { type: 'NONE', textKey: 'REFILL_DONE', textArgs: { amount: '1500.00', currency: 'RUBLE' } },
    'The balance was topped up by 1\u202f500.00 ₽',
    'Баланс пополнен на 1\u202f500,00 ₽',
  ],
  [
    { operationType: 'GRANT', textKey: 'ACCESS_GRANTED', textArgs: { login: 'ann@example.org' } },
    'ann@example.org has access to the account now',
    'У ann@example.org теперь есть доступ к аккаунту',
  ],
  [
    { operationType: 'EVICT', textKey: 'ACCESS_ENDED', textArgs: { login: 'ann@example.org' } },
    'ann@example.org has no access to the account any more',
    'У ann@example.org больше нет доступа к аккаунту',
  ],
  [
    {
      type: 'NONE',
      textKey: 'CHARGE_CAPPED',
      textArgs: { model: 'ner', reported: '1500', amount: '0.005', currency: 'RUBLE' },
    },
    'The service ner reported 1\u202f500.00 ₽ for a call, above its maximal price: 0.005 ₽ were charged',
    'Сервис ner сообщил цену вызова 1\u202f500,00 ₽, выше своей максимальной: списано 0,005 ₽',
  ],
  [
    {
      type: 'NONE',
      textKey: 'CHARGE_CAPPED_BY_PAYER',
      textArgs: { model: 'ner', reported: '2', amount: '1', currency: 'RUBLE' },
    },
    'The service ner reported 2.00 ₽ for a call, more than the caller allows or has: 1.00 ₽ were charged',
    'Сервис ner сообщил цену вызова 2,00 ₽, больше, чем разрешает или имеет вызывающий: списано 1,00 ₽',
  ],
  [
    { type: 'NONE', textKey: 'KEY_SPENDING_NEAR', textArgs: { key: 'ci', amount: '1500', currency: 'RUBLE' } },
    'The API key ci has used most of its spending limit: 1\u202f500.00 ₽',
    'API-ключ ci израсходовал большую часть лимита: 1\u202f500,00 ₽',
  ],
  [
    { type: 'NONE', textKey: 'KEY_SPENDING_REACHED', textArgs: { key: 'ci', amount: '5' } },
    'The spending limit of the API key ci does not cover a call: 5.00',
    'Лимит расходов API-ключа ci не покрывает вызов: 5,00',
  ],
  [
    { type: 'LICENSE_LIMITS_EXCEEDED', severity: 'ERROR' },
    'The limits of the licence are exceeded',
    'Превышены ограничения лицензии',
  ],
] as const)('%o in both languages', (about, english, russian) => {
  expect([said(about), said(about, 'ru')]).toEqual([
    { text: english, detail: null },
    { text: russian, detail: null },
  ]);
});

test('a failure keeps the reason that the server gives', () => {
  expect(said({ operationType: 'RUN', severity: 'ERROR', textMessage: 'no place' }, 'ru')).toEqual({
    text: 'Запуск: не выполнено',
    detail: 'no place',
  });
});

test('a key says when it expires', () => {
  const words = said({ type: 'TOKEN_EXPIRATION_WARNING', severity: 'WARNING', expirationDate: '2026-12-01T10:00:00Z' });
  expect(words.text).toMatch(/^The API key expires on Dec 1, 2026, /);
});

test.each([
  { type: 'BROADCAST' },
  { type: 'NONE' },
  { type: 'PIPELINE_OPERATION' },
  { type: 'TOKEN_EXPIRATION_WARNING' },
] as const)('%o is shown as it came', (about) => {
  expect(said(about, 'ru')).toEqual({ text: 'as it came', detail: null });
});

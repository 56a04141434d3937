import { describe, expect, test } from 'vitest';

import type { NotificationData, Severity } from '@/api/generated/core.gen';

import { inTab, listed, notificationIndicator } from './notifications';

const one = (severity: Severity, readAt: string | null = null): NotificationData => ({
  id: '1',
  type: 'BROADCAST',
  severity,
  textMessage: 'text',
  createdAt: '2026-11-21T12:00:00Z',
  readAt,
  entity: null,
  operationType: null,
  entityDisplayName: null,
  expirationDate: null,
  notBeforeDate: null,
  grafanaLicenseDashboardUrl: null,
  textKey: null,
  textArgs: null,
});
const READ = '2026-11-21T12:00:00Z';

test.each([
  [[one('INFO'), one('WARNING'), one('ERROR')], 'danger'],
  [[one('INFO'), one('WARNING')], 'warning'],
  [[one('INFO')], 'info'],
  [[], null],
  [[one('ERROR', READ), one('INFO')], 'info'],
  [[one('ERROR', READ), one('WARNING', READ)], null],
])('%o shows %s', (all, tone) => {
  expect(notificationIndicator(all)).toBe(tone);
});

describe('the list', () => {
  test('has no marks that belong to events of services and servers', () => {
    const all = [
      { ...one('ERROR'), type: 'MODEL_EVENTS_ERROR_INDICATOR' as const },
      { ...one('ERROR'), type: 'SERVER_EVENTS_ERROR_INDICATOR' as const },
      one('INFO'),
    ];
    expect(listed(all)).toEqual([one('INFO')]);
  });

  test.each([
    ['all', 'INFO', true],
    ['all', 'ERROR', true],
    ['info', 'INFO', true],
    ['info', 'WARNING', true],
    ['info', 'ERROR', false],
    ['errors', 'ERROR', true],
    ['errors', 'WARNING', false],
  ] as const)('tab %s with %s: %s', (tab, severity, shown) => {
    expect(inTab(tab, one(severity))).toBe(shown);
  });
});

import type { NotificationData, NotificationType } from '@/api/generated/core.gen';

export type Tone = 'danger' | 'warning' | 'info';
export type NotificationTab = 'all' | 'info' | 'errors';

/** Shown as marks on the events of a service or a server instead of here. */
const HIDDEN = new Set<NotificationType>(['MODEL_EVENTS_ERROR_INDICATOR', 'SERVER_EVENTS_ERROR_INDICATOR']);

export function listed(all: readonly NotificationData[]): NotificationData[] {
  return all.filter(({ type }) => !HIDDEN.has(type));
}

/** The most severe level of the unread notifications. */
export function notificationIndicator(all: readonly Pick<NotificationData, 'severity' | 'readAt'>[]): Tone | null {
  const unread = all.filter(({ readAt }) => readAt === null);
  if (unread.some(({ severity }) => severity === 'ERROR')) return 'danger';
  if (unread.some(({ severity }) => severity === 'WARNING')) return 'warning';
  return unread.length ? 'info' : null;
}

/** Warnings count as information, not as errors. */
export function inTab(tab: NotificationTab, { severity }: Pick<NotificationData, 'severity'>): boolean {
  return tab === 'all' || (tab === 'errors') === (severity === 'ERROR');
}

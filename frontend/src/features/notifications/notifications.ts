import type { NotificationData, NotificationType } from '@/api/generated/core.gen';

export type Tone = 'danger' | 'warning' | 'info';
export type NotificationTab = 'all' | 'info' | 'errors';

/** They are shown as marks on the events of a service or a server, not here. */
const HIDDEN = new Set<NotificationType>(['MODEL_EVENTS_ERROR_INDICATOR', 'SERVER_EVENTS_ERROR_INDICATOR']);

export function listed(all: readonly NotificationData[]): NotificationData[] {
  return all.filter(({ type }) => !HIDDEN.has(type));
}

/** The gravest of what was not read yet. */
export function notificationIndicator(all: readonly Pick<NotificationData, 'severity' | 'readAt'>[]): Tone | null {
  const unread = all.filter(({ readAt }) => readAt === null);
  if (unread.some(({ severity }) => severity === 'ERROR')) return 'danger';
  if (unread.some(({ severity }) => severity === 'WARNING')) return 'warning';
  return unread.length ? 'info' : null;
}

/** Warnings are no errors: they are among the information. */
export function inTab(tab: NotificationTab, { severity }: Pick<NotificationData, 'severity'>): boolean {
  return tab === 'all' || (tab === 'errors') === (severity === 'ERROR');
}

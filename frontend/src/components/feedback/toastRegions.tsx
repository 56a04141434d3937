import '@mantine/notifications/styles.css';

import {
  cleanNotifications,
  createNotificationsStore,
  type NotificationData,
  Notifications,
  showNotification,
} from '@mantine/notifications';

/** Toasts for results of actions, for announcements, and for short confirmations. */
export type Region = 'actions' | 'general' | 'brief';

const stores = {
  actions: createNotificationsStore(),
  general: createNotificationsStore(),
  brief: createNotificationsStore(),
};

export function showIn(region: Region, toast: NotificationData): void {
  showNotification(toast, stores[region]);
}

export function clearToasts(): void {
  for (const store of Object.values(stores)) cleanNotifications(store);
}

export default function ToastRegions() {
  return (
    <>
      <Notifications store={stores.actions} position="top-right" limit={7} autoClose={5000} />
      <Notifications store={stores.general} position="top-center" limit={3} autoClose={5000} />
      <Notifications store={stores.brief} position="bottom-center" autoClose={1500} />
    </>
  );
}

import { createNotificationsStore, Notifications, showNotification } from '@mantine/notifications';

/** Three regions: what actions did, what concerns everyone, and short confirmations. */
const actions = createNotificationsStore();
const general = createNotificationsStore();
const brief = createNotificationsStore();

const DEDUPE_MS = 30_000;
const MOST_ACTIONS = 7;
const shown = new Map<string, number>();

export function Toasts() {
  return (
    <>
      <Notifications store={actions} position="top-right" limit={MOST_ACTIONS} autoClose={5000} />
      <Notifications store={general} position="top-center" limit={3} autoClose={5000} />
      <Notifications store={brief} position="bottom-center" autoClose={1500} />
    </>
  );
}

export function toastError(title: string, message: string): void {
  showNotification({ color: 'red', title, message }, actions);
}

/** The same error again within half a minute is not shown. */
export function toastErrorOnce(title: string, message: string, now: number = Date.now()): boolean {
  const key = `${title}\n${message}`;
  if (now - (shown.get(key) ?? -Infinity) < DEDUPE_MS) return false;
  shown.set(key, now);
  toastError(title, message);
  return true;
}

export function toastDone(message: string): void {
  showNotification({ color: 'green', message }, actions);
}

export function toastGeneral(message: string): void {
  showNotification({ message }, general);
}

export function toastBrief(message: string): void {
  showNotification({ message, withCloseButton: false }, brief);
}

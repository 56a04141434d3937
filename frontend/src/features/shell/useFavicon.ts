import { useEffect } from 'react';

import { coreApi } from '@/api';
import { listed as listedNotifications, notificationIndicator } from '@/features/notifications/notifications';
import { isInProgress, listed as listedTasks, taskIndicator } from '@/features/tasks/tasks';
import { useBrand } from '@/lib/brand';
import { type FaviconState, faviconState, markedIcon } from '@/lib/favicon';
import { NOTIFICATION_POLL, TASK_POLL } from '@/lib/polls';

/** The state that the header's buttons show, for the icon of a tab in the background. */
function useAccountState(account: string): FaviconState {
  const { data: tasks = [] } = coreApi.useCoreShortTasksViewQuery(undefined, TASK_POLL);
  const { data: notifications = [] } = coreApi.useCoreGetNotificationsQuery({ account }, NOTIFICATION_POLL);
  const shown = listedTasks(tasks);
  return faviconState({
    tasks: taskIndicator(shown),
    notifications: notificationIndicator(listedNotifications(notifications)),
    running: shown.some(({ viewStatus }) => isInProgress(viewStatus)),
  });
}

/** The brand's icon, marked while something runs, is new or has failed. */
export function useFavicon(account: string): void {
  const { icon } = useBrand();
  const state = useAccountState(account);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!link) return;
    let current = true;
    const show = (address: string) => {
      if (current) link.href = address;
    };
    if (state === null) show(icon);
    // An icon of another host may not be drawn on; then it stays as it is.
    else markedIcon(icon, state).then(show, () => show(icon));
    return () => {
      current = false;
      link.href = icon;
    };
  }, [icon, state]);
}

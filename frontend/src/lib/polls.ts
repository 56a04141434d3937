/** Polling intervals. All polling pauses while the tab is hidden. */
export const BALANCE_POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };
export const NOTIFICATION_POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };
export const TASK_POLL = { pollingInterval: 4000, skipPollingIfUnfocused: true };

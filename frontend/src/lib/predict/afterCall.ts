/** What a call may have changed: the caller's balance, and a service that it woke. */
export const AFTER_CALL = ['Balance', 'Model', 'Instances'] as const;

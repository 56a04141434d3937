/** What the server takes of a reason. */
export const MOST_REASON = 500;

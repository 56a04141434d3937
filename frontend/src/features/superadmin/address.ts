/** The page of one account in the administration. `account`: its id or its short name. */
export function accountAddress(account: number | string): string {
  return `/superadmin/account/${encodeURIComponent(account)}`;
}

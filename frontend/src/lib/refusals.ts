import type { Problem } from '@/api';

const SELECT = new Set(['account.access.denied', 'account.not_selected']);
const ADDRESS = 'mlp.gate.access_denied_for_account_from_ip';

/** What a refusal means for the whole page, whichever call on it was refused. */
export type Consequence = 'select-account' | 'address-denied' | 'signed-out';

export function consequenceOf({ status, code }: Pick<Problem, 'status' | 'code'>): Consequence | null {
  if (code.includes(ADDRESS)) return 'address-denied';
  // `http.403`: a refusal without its own code.
  if (status === 403 && (SELECT.has(code) || code === 'http.403')) return 'select-account';
  return status === 401 ? 'signed-out' : null;
}

import type { Problem } from '@/api';

const DENIED = 'account.access.denied';
const NOT_SELECTED = 'account.not_selected';
/** A refusal without its own code. */
const UNNAMED = 'http.403';
const ADDRESS = 'mlp.gate.access_denied_for_account_from_ip';

/** What a refusal means for the whole page, whichever call on it was refused. */
export type Consequence = 'select-account' | 'address-denied' | 'signed-out';

/** `ofAnother`: the call named another account than the selected one, so selecting one again changes nothing. */
export function consequenceOf(
  { status, code }: Pick<Problem, 'status' | 'code'>,
  ofAnother = false,
): Consequence | null {
  if (code.includes(ADDRESS)) return 'address-denied';
  if (status === 403 && (code === NOT_SELECTED || (!ofAnother && [DENIED, UNNAMED].includes(code))))
    return 'select-account';
  return status === 401 ? 'signed-out' : null;
}

/** An object that does not exist, or that belongs to an account that the user may not see: both look the same. */
export function isMissing({ status, code }: Pick<Problem, 'status' | 'code'>): boolean {
  return status === 404 || (status === 403 && code === DENIED);
}

const LEFT = 'left-for-account';
const AGAIN_MS = 10 * 60_000;

/** Whether the browser may go to the page that selects an account: a second time for one address would be a loop. */
export function mayLeave(storage: Storage, address: string, now: number = Date.now()): boolean {
  const [before = '', at = '0'] = (storage.getItem(LEFT) ?? '').split('\n');
  if (before === address && now - Number(at) < AGAIN_MS) return false;
  storage.setItem(LEFT, `${address}\n${now}`);
  return true;
}

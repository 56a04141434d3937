function keyOf(accountId: number): string {
  return `first-steps:${accountId}`;
}

/** Once an account has hidden or finished its first steps, this browser does not ask for them again. */
export function isOver(storage: Storage, accountId: number): boolean {
  return storage.getItem(keyOf(accountId)) !== null;
}

export function end(storage: Storage, accountId: number): void {
  storage.setItem(keyOf(accountId), 'over');
}

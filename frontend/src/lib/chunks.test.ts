import { beforeEach, expect, test, vi } from 'vitest';

import { reloadOnce } from './chunks';

beforeEach(() => sessionStorage.clear());

test('a page whose file is missing is loaded again once, and not without end', () => {
  const reload = vi.fn<() => void>();
  const at = (now: number) => reloadOnce(sessionStorage, reload, now);
  expect([at(1000), at(2000), at(60_999), at(61_000)]).toEqual([true, false, false, true]);
  expect(reload).toHaveBeenCalledTimes(2);
});

import { useEffect, useState } from 'react';

/** The token of a mailed link, after the `#` so that no server logs it; it is removed from the address at once. */
export function useMailedToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '');
  useEffect(() => {
    if (token) window.history.replaceState(null, '', window.location.pathname);
  }, [token]);
  return token;
}

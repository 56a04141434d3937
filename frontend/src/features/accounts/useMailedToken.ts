import { useEffect, useState } from 'react';

/** Of the link in a mail, behind the `#` so that no server logs it; the address forgets it at once. */
export function useMailedToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '');
  useEffect(() => {
    if (token) window.history.replaceState(null, '', window.location.pathname);
  }, [token]);
  return token;
}

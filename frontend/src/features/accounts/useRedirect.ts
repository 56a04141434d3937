import { accountsApi } from '@/api';
import { browser } from '@/lib/browser';
import { safeRedirect } from '@/lib/redirects';

/** The address to continue at, and links between these pages that keep it and the theme. */
export function useRedirect() {
  const given = new URLSearchParams(window.location.search);
  const { data } = accountsApi.useAccountsGetPublicOptionsQuery();
  const hosts = data?.domains.map(({ domain }) => domain) ?? [];
  const target = safeRedirect(given.get('redirectUrl'), window.location.origin, hosts);
  const kept = new URLSearchParams();
  if (target) kept.set('redirectUrl', target);
  const theme = themeIn(given);
  if (theme) kept.set('theme', theme);
  const query = kept.size ? `?${kept.toString()}` : '';
  return {
    /** The address that the server is asked to accept; it has its own list. */
    wanted: target,
    go: (agreed: string | null | undefined) => browser.go(agreed ?? target ?? '/'),
    keep: (page: string) => `${page}${query}`,
  };
}

export function themeIn(params: URLSearchParams): 'light' | 'dark' | null {
  const theme = params.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : null;
}

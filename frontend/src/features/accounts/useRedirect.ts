import { safeRedirect } from '@/lib/redirects';

/** The address to go on to, as the page's own address says, and a way to keep it on links between these pages. */
export function useRedirect() {
  const wanted = new URLSearchParams(window.location.search).get('redirectUrl');
  const target = safeRedirect(wanted, window.location.origin);
  const kept = target ? `?redirectUrl=${encodeURIComponent(target)}` : '';
  return {
    /** What the server is asked to agree to; it has its own list of addresses. */
    wanted: target,
    go: (agreed: string | null | undefined) => window.location.assign(agreed ?? target ?? '/'),
    keep: (page: string) => `${page}${kept}`,
  };
}

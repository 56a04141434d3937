/**
 * Where to go after signing in: an address of this very site, or nothing. Another site could show a page that looks
 * like ours, so a scheme, a host, or what browsers take for one is refused.
 */
export function safeRedirect(wanted: string | null, origin: string): string | null {
  if (!wanted) return null;
  // oxlint-disable-next-line no-control-regex -- browsers drop these inside an address
  if (/[\u0000-\u001f\\]/.test(wanted)) return null;
  try {
    const target = new URL(wanted, origin);
    return target.origin === origin && ['http:', 'https:'].includes(target.protocol) && !target.username
      ? target.pathname + target.search + target.hash
      : null;
  } catch {
    return null;
  }
}

export function loginAddress(back: string): string {
  return `/c/login?redirectUrl=${encodeURIComponent(back)}`;
}

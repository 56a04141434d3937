/**
 * Where to go after signing in: an address of this site or of another host of the platform, or nothing. Any other
 * site could show a page that looks like ours, so a scheme, a host, or what browsers take for one is refused.
 */
export function safeRedirect(wanted: string | null, origin: string, hosts: readonly string[] = []): string | null {
  if (!wanted) return null;
  // oxlint-disable-next-line no-control-regex -- browsers drop these inside an address
  if (/[\u0000-\u001f\\]/.test(wanted)) return null;
  try {
    const target = new URL(wanted, origin);
    if (!['http:', 'https:'].includes(target.protocol) || target.username) return null;
    if (target.origin === origin) return target.pathname + target.search + target.hash;
    return target.protocol === 'https:' && !target.port && hosts.includes(target.hostname) ? target.href : null;
  } catch {
    return null;
  }
}

export function loginAddress(back: string): string {
  return `/c/login?redirectUrl=${encodeURIComponent(back)}`;
}

export function selectAccountAddress(back: string): string {
  return `/c/select-account?redirectUrl=${encodeURIComponent(back)}`;
}

import type { ClickHistoryData } from '@/api/generated/core.gen';

const LONGEST_URL = 2000;

/** The kind of clicked element; null for elements without an action. Never its text or content. */
export function clicked(target: EventTarget | null): { description: string; elementId: number | null } | null {
  if (!(target instanceof Element)) return null;
  const element = target.closest(
    'button, a, input, textarea, select, [role="switch"], [role="button"], [role="menuitem"], [role="tab"]',
  );
  if (!element) return null;
  const number = Number(element instanceof HTMLElement ? element.dataset.elementId : undefined);
  return { description: kindOf(element), elementId: Number.isSafeInteger(number) ? number : null };
}

function kindOf(element: Element): 'button' | 'link' | 'input' | 'switch' {
  if (element.getAttribute('role') === 'switch') return 'switch';
  if (element.tagName === 'A') return 'link';
  return ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName) ? 'input' : 'button';
}

export function clickEvent(
  accountId: number | null,
  pageUrl: string,
  what: { description: string; elementId: number | null },
  creationTime: number,
): ClickHistoryData {
  return { accountId, eventType: 'click', ...what, pageUrl: pageUrl.slice(0, LONGEST_URL), creationTime };
}

export function navigationEvent(
  accountId: number | null,
  from: string,
  to: string,
  creationTime: number,
): ClickHistoryData {
  return {
    accountId,
    eventType: 'navigation',
    description: `from ${from} to ${to}`,
    pageUrl: to.slice(0, LONGEST_URL),
    creationTime,
  };
}

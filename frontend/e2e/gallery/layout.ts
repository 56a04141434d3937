import type { Page } from '@playwright/test';

/** Windows below this width are phones'. */
export const PHONE_PX = 700;

/** What a reader on a phone cannot see, read or press, in words; nothing of it makes the page itself wider. */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate(lookAround);

/* Runs in the page, so everything it uses is inside. */
/* oxlint-disable unicorn/consistent-function-scoping -- only this function's own text reaches the page */
function lookAround(): string[] {
  const windowWidth = document.documentElement.clientWidth;
  const ONE_PX = 1.5;
  const faults = new Set<string>();
  const all = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width > 2 && height > 2 && one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    });
  const tell = (fault: string, one: Element, text = one.getAttribute('aria-label') ?? one.textContent ?? '') =>
    faults.add(`${fault}: <${one.tagName.toLowerCase()}> ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`);
  /** The frame in which something wide scrolls by itself. */
  const frameOf = (one: Element): Element | null => {
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return at;
    return null;
  };

  for (const one of all(
    'button, a[href], [role=tab], [role=menuitem], input, select, textarea, table, pre, img, canvas',
  )) {
    const { left, right } = one.getBoundingClientRect();
    if ((right > windowWidth + ONE_PX || left < -ONE_PX) && !frameOf(one)) tell('outside the window', one);
  }
  for (const one of all(
    ':is(button, [role=tab], [role=menuitem], h1, h2, h3, h4, label, legend, th, dt, [role=alert], [role=status]), :is(button, [role=tab], [role=menuitem], h1, h2, h3, h4, label, legend, th, dt, [role=alert], [role=status]) *',
  )) {
    const { overflowX, overflowY } = getComputedStyle(one);
    const wide =
      overflowX !== 'visible' &&
      overflowX !== 'auto' &&
      overflowX !== 'scroll' &&
      one.scrollWidth > one.clientWidth + ONE_PX;
    const high =
      overflowY !== 'visible' &&
      overflowY !== 'auto' &&
      overflowY !== 'scroll' &&
      one.scrollHeight > one.clientHeight + 4;
    if ((wide || high) && one.textContent?.trim() && getComputedStyle(one).display !== 'inline') tell('cut off', one);
  }
  for (const one of all('main *, [role=dialog] *, header *'))
    if (getComputedStyle(one).textOverflow === 'ellipsis' && one.scrollWidth > one.clientWidth + ONE_PX)
      tell('cut off', one);
  for (const current of all('[role=tab][aria-selected=true], [aria-current=page]')) {
    const [own, row] = [current.getBoundingClientRect(), frameOf(current)?.getBoundingClientRect()];
    if (row && own.width <= row.width && (own.left < row.left - ONE_PX || own.right > row.right + ONE_PX))
      tell('the current place is scrolled away', current);
  }
  const pen = document.createElement('canvas').getContext('2d');
  for (const field of all('input[type=search][placeholder]') as HTMLInputElement[]) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    if (pen) pen.font = font;
    if (
      pen &&
      pen.measureText(field.placeholder).width >
        field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) + ONE_PX
    )
      tell('a search field is too narrow for its text', field, field.placeholder);
  }
  // Words of a language; what has digits or signs in it, as ids and addresses, may be broken anywhere.
  const WORD = /(?<=^|[\s(«"“])\p{L}{2,}(?=$|[\s).,:;!?»”"…])/gu;
  const range = document.createRange();
  const linesOf = (node: Node, from: number, to: number) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top / 4)))
      .size;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const [holder, text] = [node.parentElement, node.nodeValue ?? ''];
    if (
      !holder ||
      !text.trim() ||
      !holder.checkVisibility({ visibilityProperty: true }) ||
      linesOf(node, 0, text.length) < 2
    )
      continue;
    const { fontFamily, hyphens } = getComputedStyle(holder);
    if (fontFamily.includes('Mono') || hyphens === 'auto') continue;
    for (const found of text.matchAll(WORD))
      if (linesOf(node, found.index, found.index + found[0].length) > 1)
        tell('a word is broken', holder, `${found[0]} in ${text}`);
  }
  return [...faults];
}
/* oxlint-enable unicorn/consistent-function-scoping */

/** Scrolls a row sideways until the item that matches is in its middle. The page itself does not scroll. */
export function scrollToCentre(row: HTMLElement | null, selector: string | null): void {
  const item = selector && row?.querySelector(selector);
  if (!row || !item) return;
  const [outer, inner] = [row.getBoundingClientRect(), item.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

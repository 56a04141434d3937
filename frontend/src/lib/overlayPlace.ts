/** Where menus that lie over the page belong: all content is within a landmark, so that screen readers can go there. */
export const overlayPlace = (): HTMLElement => document.querySelector('main') ?? document.body;

/** To a page that is not of this application. An object, so that tests see where to. */
export const browser = {
  go: (to: string): void => window.location.assign(to),
};

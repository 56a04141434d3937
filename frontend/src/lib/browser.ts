/** Leaves the application. An object, so that tests can observe it. */
export const browser = {
  go: (to: string): void => window.location.assign(to),
};

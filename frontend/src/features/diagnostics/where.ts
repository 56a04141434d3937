/** The service whose instances are shown, as its routes name it. */
export interface Where {
  account: string;
  model: string;
}

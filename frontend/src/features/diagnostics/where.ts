/** The service whose instances are shown, as in the API's paths. */
export interface Where {
  account: string;
  model: string;
}

/** The service being tried. */
export interface Tried {
  account: string;
  model: string;
  taskType: string;
  /** The owner: only their account sees stored configs and changes examples. */
  owner: boolean;
  /** An instance of it answers. */
  runs: boolean;
  /** The service does not run, and the platform starts it: the first call waits for that, or somebody starts it before. */
  startable: boolean;
  /** How long a start takes, in seconds; null if nobody knows. */
  startSeconds: number | null;
  /** The currency in which calls are charged; null if it is not known. */
  currency: string | null;
}

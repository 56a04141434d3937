/** The service being tried. */
export interface Tried {
  account: string;
  model: string;
  taskType: string;
  /** The owner: only their account sees stored configs. */
  owner: boolean;
}

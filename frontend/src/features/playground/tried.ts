/** The service that somebody tries. */
export interface Tried {
  account: string;
  model: string;
  taskType: string;
  /** Whose service it is: only the owner's account sees its stored configs. */
  owner: boolean;
}

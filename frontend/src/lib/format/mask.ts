/** The mask that replaces a secret. In settings sent back, it stands for the stored value. */
export const MASK = '********';

/** What the platform shows in the place of a secret. Sent back to settings, it stands for what is stored. */
export const MASK = '********';

/** Styles of an input for addresses, paths and names that programs read: the font in which such values are shown elsewhere. */
export const MONOSPACED = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** Of names, which may have spaces. */
export const NAME_SEPARATORS: readonly string[] = [',', ';', '\n', '\r', '\t'];
/** Of what has no spaces: addresses, codes, numbers. */
export const ADDRESS_SEPARATORS: readonly string[] = [...NAME_SEPARATORS, ' '];

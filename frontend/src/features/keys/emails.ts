export const MOST_EMAILS = 20;
const MOST_OF_EMAIL = 254;
/** As in `Email` of `mlpcore/features/api_keys/schemas.py`. */
// oxlint-disable-next-line no-control-regex -- the server refuses these characters
const EMAIL = /^[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+\.[^@\s\x00-\x1f.]+$/;

export const isNoEmail = (text: string) => text.length > MOST_OF_EMAIL || !EMAIL.test(text);

/** Of the wrong ones; all are marked. */
const MOST_NAMED = 5;
const MOST_OF_NAME = 60;

/** The wrong addresses for an error; empty if none is. */
export function wrongEmails(emails: readonly string[]): string {
  const wrong = emails
    .filter(isNoEmail)
    .map((text) => (text.length > MOST_OF_NAME ? `${text.slice(0, MOST_OF_NAME)}…` : text));
  return (wrong.length > MOST_NAMED ? [...wrong.slice(0, MOST_NAMED), '…'] : wrong).join(', ');
}

/** What a pressed key asks for, apart from the letters after `g`. */
export type Asked = 'palette' | 'search' | 'help' | 'go';

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const FIELDS = 'input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], .xterm';

/** Whether keys belong to the element: a field to type in. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** On keyboards without Latin letters the place of the key counts; `.` and `,` are there where `/` and `?` are on others. */
export function askedBy({ key, code, ctrlKey, metaKey, altKey }: Pressed): Asked | null {
  const isLetter = (letter: string) =>
    key.toLowerCase() === letter || (code === `Key${letter.toUpperCase()}` && !/^[a-z]$/i.test(key));
  if ((ctrlKey || metaKey) && !altKey && isLetter('k')) return 'palette';
  if (ctrlKey || metaKey || altKey) return null;
  if (key === '/' || (code === 'Slash' && key === '.')) return 'search';
  if (key === '?' || (code === 'Slash' && key === ',')) return 'help';
  return isLetter('g') ? 'go' : null;
}

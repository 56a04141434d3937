import { useState } from 'react';

import { parsed } from './useDraft';

/** A config that goes with the request; none while it is left empty. */
export function useConfig() {
  const [text, setText] = useState('');
  return { text, setText, value: text.trim() ? parsed(text) : ({ ok: true, value: undefined } as const) };
}

export type Config = ReturnType<typeof useConfig>;

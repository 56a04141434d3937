import { useState } from 'react';

import { parsed } from './useDraft';

/** The config of the request; none if it is empty. */
export function useConfig() {
  const [text, setText] = useState('');
  return { text, setText, value: text.trim() ? parsed(text) : ({ ok: true, value: undefined } as const) };
}

export type Config = ReturnType<typeof useConfig>;

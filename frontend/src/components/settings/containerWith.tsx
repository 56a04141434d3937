import type { ReactNode } from 'react';

import { WITH_NOTE } from './rows';

/** `inputContainer` of a Mantine input in a row: the control, and a note beside it. */
export function containerWith(note: ReactNode) {
  return (control: ReactNode) => (
    <div className={WITH_NOTE}>
      {control}
      {note}
    </div>
  );
}

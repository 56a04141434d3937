import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

import classes from './KeyForm.module.css';

interface Props extends TextInputProps {
  decimal?: boolean;
  /** A control beside the number, such as its period. It stays beside it whatever stands above and below. */
  beside?: ReactNode;
}

/** A number that stays as it was typed: a field that drops signs makes 27 of 2.7 and 13 of 1e3. */
export function LimitField({ decimal = false, beside, ...input }: Props) {
  return (
    <TextInput
      inputMode={decimal ? 'decimal' : 'numeric'}
      autoComplete="off"
      {...(beside ? { classNames: { wrapper: classes.bare ?? '' }, inputContainer: besides(beside) } : {})}
      {...input}
    />
  );
}

const besides = (other: ReactNode) => (control: ReactNode) => (
  <div className={classes.pair} data-pair>
    {control}
    {other}
  </div>
);

import { Select, type SelectProps } from '@mantine/core';

interface Shared<Props> {
  /** Label, hint, error and classes, as every control has them. */
  common: Partial<Props>;
}

/** One of some values. */
export function ChoiceField({
  common,
  ...choice
}: Shared<SelectProps> & Pick<SelectProps, 'data' | 'value' | 'onChange'>) {
  return <Select {...common} {...choice} allowDeselect={false} />;
}

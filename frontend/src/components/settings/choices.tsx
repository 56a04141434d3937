import { Select, type SelectProps, TagsInput, type TagsInputProps } from '@mantine/core';

interface Shared<Props> {
  /** Label, hint, error and classes, as every control has them. */
  common: Partial<Props>;
}

/** One of some values. */
export function ChoiceField({ common, ...choice }: Shared<SelectProps> & Pick<SelectProps, 'data' | 'value' | 'onChange'>) {
  return <Select {...common} {...choice} allowDeselect={false} />;
}

/** Any number of texts. */
export function TagsField({ common, ...tags }: Shared<TagsInputProps> & Pick<TagsInputProps, 'value' | 'onChange'>) {
  return <TagsInput {...common} {...tags} clearable={false} />;
}

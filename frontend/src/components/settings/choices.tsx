import { Select, type SelectProps, type TagsInputProps } from '@mantine/core';

import { NAME_SEPARATORS, TagField } from '@/components/TagField';

interface Shared<Props> {
  /** Label, hint, error and classes, as every control has them. */
  common: Partial<Props>;
}

/** One of some values. */
export function ChoiceField({ common, ...choice }: Shared<SelectProps> & Pick<SelectProps, 'data' | 'value' | 'onChange'>) {
  return <Select {...common} {...choice} allowDeselect={false} />;
}

/** Any number of texts. */
export function TagsField({ common, value, onChange }: Shared<TagsInputProps> & { value: string[]; onChange: (tags: string[]) => void }) {
  return <TagField {...common} value={value} onChange={onChange} separators={NAME_SEPARATORS} clearable={false} />;
}

import { PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { TagField } from '@/components/TagField';
import { show } from '@/testing/render';

const PLACEHOLDER = '--input-placeholder-color';
const Tags = (props: { placeholder: string; error?: string }) => (
  <TagField {...props} value={[]} onChange={() => undefined} />
);
const INPUTS = { TextInput, Textarea, PasswordInput, Select, Tags };

const colourOf = (placeholder: string) =>
  screen
    .getByPlaceholderText(placeholder)
    .closest<HTMLElement>('.mantine-Input-wrapper')
    ?.style.getPropertyValue(PLACEHOLDER);

test.each(Object.entries(INPUTS))('a placeholder of a %s keeps its colour beside an error', (_, Control) => {
  show(
    <>
      <Control placeholder="right" />
      <Control placeholder="wrong" error="Fill in this field." />
    </>,
  );
  expect([colourOf('right'), colourOf('wrong')]).toEqual(['', 'var(--mantine-color-placeholder)']);
});

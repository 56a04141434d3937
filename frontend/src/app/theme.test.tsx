import { PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

const PLACEHOLDER = '--input-placeholder-color';
const INPUTS = { TextInput, Textarea, PasswordInput, Select, TagsInput };

const colourOf = (placeholder: string) => screen.getByPlaceholderText(placeholder).closest<HTMLElement>('.mantine-Input-wrapper')?.style.getPropertyValue(PLACEHOLDER);

test.each(Object.entries(INPUTS))('a placeholder of a %s keeps its colour beside an error', (_, Control) => {
  show(<><Control placeholder="right" /><Control placeholder="wrong" error="Fill in this field." /></>);
  expect([colourOf('right'), colourOf('wrong')]).toEqual(['', 'var(--mantine-color-placeholder)']);
});

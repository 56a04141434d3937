import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { Checkbox, NumberInput, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { screen } from '@testing-library/react';
import type { ComponentType } from 'react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { TagField } from '@/components/TagField';
import { show } from '@/testing/render';

const SHEETS = [
  'node_modules/@mantine/core/styles/Input.css',
  'node_modules/@mantine/core/styles/PillsInput.css',
  'src/app/base.css',
];
type Field = ComponentType<{ placeholder: string; error?: string }>;
const Tags: Field = (props) => <TagField {...props} value={['one']} onChange={() => undefined} />;
const FIELDS: Record<string, Field> = { TextInput, Textarea, PasswordInput, Select, NumberInput, Tags };

const sheet = document.createElement('style');
beforeEach(() => {
  sheet.textContent = SHEETS.map((path) => readFileSync(resolve(process.cwd(), path), 'utf8')).join('\n');
  document.head.append(sheet);
});
afterEach(() => sheet.remove());

/** Of the box around what is typed; for some fields that is the input itself. */
function outlineOf(placeholder: string): string | undefined {
  const box = screen.getByPlaceholderText(placeholder).closest('.mantine-Input-input');
  return box ? getComputedStyle(box).outline : undefined;
}

const borderOf = (placeholder: string) =>
  getComputedStyle(screen.getByPlaceholderText(placeholder)).getPropertyValue('--input-bd');

describe.each(Object.entries(FIELDS))('%s', (_, Field) => {
  test.each([
    ['without', {}],
    ['with', { error: 'Fill in this field.' }],
  ])('has the ring of buttons while it has the focus, %s an error', (_case, part) => {
    show(
      <>
        <Field placeholder="focused" {...part} />
        <Field placeholder="other" {...part} />
      </>,
    );
    screen.getByPlaceholderText('focused').focus();
    expect(outlineOf('focused')).toBe('2px solid var(--mlp-accent-text)');
    expect(outlineOf('other')).not.toBe(outlineOf('focused'));
  });
});

test('the border of a field is the one that is seen; beside an error it is red', () => {
  show(
    <>
      <TextInput placeholder="right" />
      <TextInput placeholder="wrong" error="Fill in this field." />
    </>,
  );
  expect([borderOf('right'), borderOf('wrong')]).toEqual(['var(--mlp-control-border)', 'var(--mantine-color-error)']);
});

test('so is that of a box that is not checked', () => {
  show(
    <>
      <Checkbox label="empty" />
      <Checkbox label="checked" defaultChecked />
    </>,
  );
  const rules = [...(sheet.sheet?.cssRules ?? [])].filter(
    (rule): rule is CSSStyleRule =>
      rule instanceof CSSStyleRule && rule.style.getPropertyValue('border-color') === 'var(--mlp-control-border)',
  );
  const boxes = ['empty', 'checked'].map((name) =>
    rules.some(({ selectorText }) => screen.getByRole('checkbox', { name }).matches(selectorText)),
  );
  expect(boxes).toEqual([true, false]);
});

import { Checkbox, Input, TextInput } from '@mantine/core';
import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { showFault } from './showFault';

const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
afterEach(() => void scrolled.mockClear());

const refusal = <div data-problem tabIndex={-1} data-testid="refusal" />;

test('the first field with an error has the focus, in the order of the page', () => {
  show(
    <>
      {refusal}
      <TextInput label="right" />
      <TextInput label="first" error="wrong" />
      <TextInput label="second" error="wrong" />
    </>,
  );
  showFault(document);
  expect(screen.getByRole('textbox', { name: 'first' })).toHaveFocus();
  expect(scrolled).not.toHaveBeenCalled();
});

test('of a group with an error, the first control has it', () => {
  show(
    <>
      <Checkbox.Group label="group" error="wrong">
        <Checkbox label="one" />
        <Checkbox label="two" />
      </Checkbox.Group>
      <TextInput label="later" error="wrong" />
    </>,
  );
  showFault(document);
  expect(screen.getByRole('checkbox', { name: 'one' })).toHaveFocus();
});

test('of an editor with an error, the text has it', () => {
  show(
    <Input.Wrapper label="editor" error="wrong">
      <div contentEditable="true" suppressContentEditableWarning data-testid="text">
        {'{'}
      </div>
    </Input.Wrapper>,
  );
  showFault(document);
  expect(screen.getByTestId('text')).toHaveFocus();
});

test('without such a field the refusal is brought into view, with the focus if the button lost it', () => {
  show(
    <>
      {refusal}
      <button type="button">send</button>
    </>,
  );
  showFault(document);
  expect(scrolled.mock.instances[0]).toBe(screen.getByTestId('refusal'));
  expect(screen.getByTestId('refusal')).toHaveFocus();
});

test('the focus of a field that is right stays there', () => {
  show(
    <>
      {refusal}
      <TextInput label="right" />
    </>,
  );
  screen.getByRole('textbox').focus();
  showFault(document);
  expect(scrolled).toHaveBeenCalledOnce();
  expect(screen.getByRole('textbox')).toHaveFocus();
});

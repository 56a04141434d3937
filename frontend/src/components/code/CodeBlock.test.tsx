import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { CodeBlock } from './CodeBlock';

test('the button that copies stands beside the code, not over it', () => {
  show(<CodeBlock code="one" label="Code" />);
  const [code, button] = [screen.getByLabelText('Code'), screen.getByRole('button', { name: 'Copy' })];
  expect(code.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(readFileSync(resolve(process.cwd(), 'src/components/code/CodeBlock.module.css'), 'utf8')).not.toContain(
    'absolute',
  );
});

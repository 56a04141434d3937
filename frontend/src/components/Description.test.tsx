import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import Description, { withMarkdownCode } from './Description';

test('HTML stays text', () => {
  const { container } = show(
    <Description text={'<img src=x onerror=alert(1)> <script>alert(1)</script> <b>bold</b>'} />,
  );
  expect(container.querySelector('script, img, b')).toBeNull();
  expect(container).toHaveTextContent('<b>bold</b>');
});

test('a link is followed without rank and without a referrer, and a script is no address', () => {
  show(<Description text={'[good](https://example.org/a) [bad](javascript:alert(1)) [data](data:text/html,x)'} />);
  const good = screen.getByRole('link', { name: 'good' });
  expect(good).toHaveAttribute('rel', 'nofollow noopener noreferrer');
  expect(screen.getByText('bad')).not.toHaveAttribute('href', expect.stringContaining('javascript'));
  expect(screen.getByText('data')).not.toHaveAttribute('href', expect.stringContaining('data:'));
});

test('only images over https are loaded', () => {
  const { container } = show(
    <Description
      text={
        '![one](https://example.org/a.png) ![two](http://example.org/b.png) ![three](/api/x) ![four](data:image/png;base64,AA)'
      }
    />,
  );
  expect([...container.querySelectorAll('img')].map(({ src }) => src)).toEqual(['https://example.org/a.png']);
  expect(container.querySelector('img')).toHaveAttribute('referrerpolicy', 'no-referrer');
  expect(container).toHaveTextContent('two three four');
});

test('code between two backticks is code', () => {
  const { container } = show(<Description text={'send ``text`` or `words`'} />);
  expect([...container.querySelectorAll('code')].map(({ textContent }) => textContent)).toEqual(['text', 'words']);
});

test.each([
  ['```\n``x``\n```', '```\n`x`\n```'],
  ['``a`b``', '``a`b``'],
  ['````', '````'],
])('%j becomes %j', (text, expected) => {
  expect(withMarkdownCode(text)).toBe(expected);
});

test('the page keeps its only title', () => {
  show(<Description text={'# What it does\n\n## Labels'} />);
  expect(screen.queryByRole('heading', { level: 1 })).toBeNull();
  expect(screen.getByRole('heading', { level: 2, name: 'What it does' })).toBeInTheDocument();
  expect(screen.getByRole('heading', { level: 3, name: 'Labels' })).toBeInTheDocument();
});

test('a table is a table', () => {
  show(<Description text={'| label | meaning |\n|---|---|\n| PER | a person |'} />);
  expect(screen.getByRole('columnheader', { name: 'meaning' })).toBeInTheDocument();
  expect(screen.getByRole('cell', { name: 'a person' })).toBeInTheDocument();
});

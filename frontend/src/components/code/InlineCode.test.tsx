import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { InlineCode } from './InlineCode';

test.each([
  ['use ``a_b`` or `c`', 'use a_b or c', ['a_b', 'c']],
  ['one ` alone', 'one ` alone', []],
  ['`<script>`', '<script>', ['<script>']],
])('%j shows %j', (text, shown, codes) => {
  const { container } = show(
    <p>
      <InlineCode text={text} />
    </p>,
  );
  expect(container.querySelector('p')).toHaveTextContent(shown);
  expect([...container.querySelectorAll('code')].map(({ textContent }) => textContent)).toEqual(codes);
  expect(container.querySelector('script')).toBeNull();
});

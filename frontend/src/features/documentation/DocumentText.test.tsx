import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import DocumentText from './DocumentText';

const { origin } = window.location;
const LINKS = 'See [limits.md](limits.md#storage), [the limits](limits.md) and [operating.md](operating.md).';

test('code has the address at which it is read', () => {
  show(
    <DocumentText
      name="quickstart"
      language="en"
      text={'Open `http://localhost:8080/docs`.\n\n```sh\nURL=http://localhost:8080  KEY=...\n```\n'}
    />,
  );
  expect(screen.getByLabelText('Code').textContent).toBe(`URL=${origin}  KEY=...`);
  expect(screen.getByText(`${origin}/docs`)).toBeInTheDocument();
});

test.each([
  ['en', 'Limits'],
  ['ru', 'Лимиты'],
] as const)('a link that names a file has the title of its page in %s', (language, title) => {
  show(<DocumentText name="quickstart" language={language} text={LINKS} />, { language });
  expect(screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    [title, '/docs/limits#storage'],
    ['the limits', '/docs/limits'],
  ]);
  expect(screen.getByText(/operating\.md/)).toBeInTheDocument();
});

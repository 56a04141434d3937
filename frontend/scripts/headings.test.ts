import { expect, test } from 'vitest';

import { headingsOf } from './headings.ts';

test('the title and the sections are headings of the text, not comments of its code', () => {
  expect(
    headingsOf('# Limits of `calls`\n\n## Storage\n\n```\n## not one\n# nor this\n```\n### deeper\n## `Keys`\n'),
  ).toEqual({ title: 'Limits of calls', sections: ['Storage', 'Keys'], headings: ['Storage', 'deeper', 'Keys'] });
});

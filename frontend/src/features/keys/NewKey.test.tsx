import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';

import { NewKey } from './NewKey';

test('a key for pages comes with a script first, and any key with a command', () => {
  show(<NewKey token="5.1.secret" forPages onKept={() => undefined} onDone={() => undefined} />);
  expect(screen.getByLabelText('JavaScript')).toHaveTextContent(/await fetch\(.*'MLP-API-KEY': "5\.1\.secret"/);
  expect(screen.getByLabelText('curl')).toHaveTextContent('MLP-API-KEY: 5.1.secret');
});

test('a key for programs comes without a script', () => {
  show(<NewKey token="5.1.secret" forPages={false} onKept={() => undefined} onDone={() => undefined} />);
  expect(screen.getByLabelText('curl')).toBeInTheDocument();
  expect(screen.queryByLabelText('JavaScript')).not.toBeInTheDocument();
});

import { expect, test } from 'vitest';

import { dotenv } from './useKeys';

test('a file of settings has the key for the client library and for printed commands', () => {
  expect(dotenv('5.1.secret', 'https://ml.example')).toBe(
    'MLP_REST_URL=https://ml.example\nMLP_CLIENT_TOKEN=5.1.secret\nMLP_API_KEY=5.1.secret\n',
  );
});

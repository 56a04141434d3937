import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers } from '@/testing/server';

import { ApplicationFrame } from './ApplicationFrame';

test('a page of a service is shown in a sandbox, by its pass alone', async () => {
  answers('/api/mlpcore/account/acme/application/counter/token', 'page-1-2-3-4-abc');
  show(<ApplicationFrame account="acme" service="counter" title="Text counter" />);
  const frame = await screen.findByTitle('Text counter');
  expect(frame).toHaveAttribute('src', '/api/mlpgateway/application/page-1-2-3-4-abc/');
  expect(frame.getAttribute('sandbox')).not.toContain('allow-same-origin');
});

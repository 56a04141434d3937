import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn, signedOut } from '@/testing/server';
import { Tried } from '@/routes/Tried';

const MODEL = '/api/mlpcore/account/acme/model/counter';
const prototype = modelOf({ prototype: true, state: 'INACTIVE' });

test('a prototype is cloned and launched, and never called or started itself', async () => {
  signedIn();
  answers(`${MODEL}/example`, []);
  answers('/api/mlpcore/system-config/task-types', []);
  answers(`${MODEL}/action-descriptor`, { name: 'counter', schemaFiles: [], fittable: false, methods: {} });
  const asked: URL[] = [];
  server.use(
    http.post('*/model-name-availability', () => HttpResponse.json({ available: true, reason: null })),
    http.post(
      '*/clone',
      ({ request }) => (
        asked.push(new URL(request.url)),
        HttpResponse.json(modelOf({ id: { accountId: 7, modelId: 8 } }))
      ),
    ),
  );
  const { history } = show(<Tried account="acme" model={prototype} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Clone and launch' }));
  expect(screen.queryByRole('button', { name: /Run|Start an instance/ })).not.toBeInTheDocument();
  const go = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Clone and launch' });
  await waitFor(() => expect(go).toBeEnabled());
  await userEvent.click(go);
  await waitFor(() => expect(history.location.pathname).toBe('/workspace/model/7/8'));
  expect(asked[0]?.searchParams.get('autoStart')).toBe('true');
});

test('visitors read what a prototype is', async () => {
  signedOut();
  answers(`${MODEL}/example`, []);
  answers('/api/mlpcore/system-config/task-types', []);
  answers(`${MODEL}/action-descriptor`, { name: 'counter', schemaFiles: [], fittable: false, methods: {} });
  show(<Tried account="acme" model={prototype} />);
  expect(await screen.findByText(/This is a prototype/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Clone and launch' })).not.toBeInTheDocument();
});

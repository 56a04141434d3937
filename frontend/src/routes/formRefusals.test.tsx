import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { AddExternal } from '@/features/diagnostics/AddExternal';
import { ManageExamples } from '@/features/playground/examples/ManageExamples';
import { SaveExample } from '@/features/playground/examples/SaveExample';
import { AssignGroup } from '@/features/service/AssignGroup';
import { CloneService } from '@/features/service/CloneService';
import { MakeKey } from '@/features/service/MakeKey';
import { PredictConfigs } from '@/features/settings/PredictConfigs';
import { Access } from '@/features/superadmin/account/Access';
import { Refill } from '@/features/superadmin/account/Refill';
import { exampleOf, modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
afterEach(() => void scrolled.mockClear());

const nothing = () => undefined;
const MODEL = modelOf({ modelGroupId: null });
const TRIED = {
  account: '9',
  model: 'counter',
  taskType: 'custom',
  owner: true,
  runs: true,
  startable: false,
  startSeconds: null,
  currency: null,
};
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const type = async (name: string | RegExp, text: string) =>
  userEvent.type(await screen.findByRole('textbox', { name }), text);
const inDialog = async (name: string) =>
  userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name }));

const no = (code: string, status: number) => () =>
  HttpResponse.json({ ...refusal(code, status, 'raw words') }, { status });

/** Whatever is asked for is not there, and whatever is sent is refused. */
beforeEach(() => {
  server.use(
    http.get('*', no('mlp.core.not_found', 404)),
    ...[http.post, http.put, http.patch, http.delete].map((method) => method('*', no('mlp.core.unavailable', 503))),
  );
  signedIn();
  server.use(
    http.post('*/api/mlpcore/model-name-availability', () => HttpResponse.json({ available: true, reason: null })),
  );
  answers('/api/mlpcore/account/9/model-group', []);
  answers('/api/mlpcore/account/9/model/counter/predict-config', []);
  answers('/api/mlpcore/admin/account/5/features', { features: [{ name: 'mlp.test_form', enabled: false }] });
  answers('/api/accountsadmin/account/5', { accountId: 5, active: true });
});

const FORMS: Record<string, { element: ReactElement; send: () => Promise<unknown> }> = {
  'a key for snippets': {
    element: <MakeKey account="9" model={MODEL} onMade={nothing} />,
    send: async () => (await press('Create a key'), await inDialog('Create')),
  },
  'a new example': {
    element: <SaveExample tried={TRIED} request={{}} answer={{}} />,
    send: async () => (await press('Save as example'), await type('Name', 'one'), await inDialog('Save')),
  },
  'an example that is moved': {
    element: <ManageExamples tried={TRIED} examples={[exampleOf(1), exampleOf(2)]} />,
    send: async () => (await press('Edit examples'), await press('Move up: Example 2')),
  },
  'a clone': {
    element: <CloneService account="9" model={MODEL} opened onClose={nothing} />,
    send: async () => (await screen.findByText('The name is free'), await inDialog('Clone')),
  },
  'a group': {
    element: <AssignGroup account="9" model={MODEL} opened onClose={nothing} />,
    send: async () => (await type(/[Nn]ew group/, 'x'), await press('Save')),
  },
  'an HTTP address': {
    element: <AddExternal account="9" model="counter" />,
    send: async () => {
      await press('Other ways to connect');
      await userEvent.click(await screen.findByRole('menuitem', { name: 'Connect an HTTP address' }));
      await type('Host', 'ml.example.org');
      await inDialog('Connect an HTTP address');
    },
  },
  'a config': {
    element: <PredictConfigs account="9" model="counter" />,
    send: async () => (await press('Create a config'), await type('Name', 'strict'), await inDialog('Save')),
  },
  'a feature of an account': {
    element: <Access account="5" />,
    send: async () => (
      await userEvent.click(await screen.findByRole('switch')),
      await type('Reason', 'a test'),
      await inDialog('Switch on')
    ),
  },
  'the block of an account': {
    element: <Access account="5" />,
    send: async () => (await press('Block'), await type('Reason', 'a test'), await inDialog('Block')),
  },
  'a refill by the administration': {
    element: <Refill accountId={5} />,
    send: async () => (await type(/^Amount/, '5'), await type('Reason', 'a test'), await press('Refill')),
  },
};

test.each(Object.keys(FORMS))('a refusal of %s is shown in its form, announced and brought into view', async (name) => {
  const { element, send } = FORMS[name] ?? { element: <></>, send: async () => undefined };
  show(element);
  await send();
  const refused = await waitFor(() => {
    const found = (scrolled.mock.instances as unknown as HTMLElement[]).find(
      (one) => one.dataset['problem'] !== undefined,
    );
    if (!found) throw new Error('no refusal was brought into view');
    return found;
  });
  expect(refused).toHaveAttribute('role', 'alert');
  expect(refused).toBeVisible();
});

test('an error of a field is at the field, which has the focus', async () => {
  server.use(
    http.post('*/predict-config', () =>
      HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args: { name: 'is taken' } }, { status: 400 }),
    ),
  );
  show(<PredictConfigs account="9" model="counter" />);
  await press('Create a config');
  await type('Name', 'strict');
  await inDialog('Save');
  const field = await screen.findByRole('textbox', { name: 'Name' });
  await waitFor(() => expect(field).toHaveAttribute('aria-invalid', 'true'));
  await waitFor(() => expect(field).toHaveFocus());
});

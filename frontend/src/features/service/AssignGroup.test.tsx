import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { AssignGroup } from './AssignGroup';

test("a refused group is explained in the reader's words", async () => {
  answers('/api/mlpcore/account/5/model-group', []);
  server.use(
    http.post('*/api/mlpcore/account/5/model-group', () =>
      HttpResponse.json(
        {
          ...refusal('mlp.core.name_already_exists', 409, 'raw words'),
          args: { entity: 'a resource group', name: 'x' },
        },
        { status: 409 },
      ),
    ),
  );
  show(
    <AssignGroup
      account="5"
      model={{ modelName: 'ner', modelGroupId: null } as ModelInfoData}
      opened
      onClose={() => undefined}
    />,
  );
  await userEvent.type(await screen.findByRole('textbox', { name: /[Nn]ew group/ }), 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const alert = await screen.findByRole('alert');
  expect(await within(alert).findByText('The name is taken')).toBeInTheDocument();
  expect(within(alert).queryByText('raw words', { ignore: 'details *' })).not.toBeInTheDocument();
});

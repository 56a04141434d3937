import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { exampleOf, modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers } from '@/testing/server';

import { NewKey } from './NewKey';

const page = (...records: object[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 500 },
  records,
});
const asleep = modelOf({
  id: { accountId: 5, modelId: 1 },
  modelAccountName: 'mine',
  modelName: 'asleep',
  state: 'SLEEPING',
});
const ner = modelOf({
  id: { accountId: 9, modelId: 2 },
  modelAccountName: 'acme',
  modelName: 'ner-ru',
  taskType: 'ner',
  state: 'SLEEPING',
});
const counter = modelOf({ id: { accountId: 9, modelId: 3 } });

function created(part: Partial<AccessTokenData> = {}): void {
  const key: Partial<AccessTokenData> = {
    token: '5.1.secret',
    name: 'on my server',
    permissions: ['predict'],
    allowedServices: null,
    allowedOrigins: [],
    ...part,
  };
  show(<NewKey account="5" created={key as AccessTokenData} onKept={() => undefined} onDone={() => undefined} />);
}
const command = () => screen.findByLabelText('curl');

describe('a new key', () => {
  beforeEach(() => {
    answers('/api/mlpcore/account/5/model', page(asleep));
    answers('/api/mlpcore/models', page(ner, counter));
    answers('/api/mlpcore/account/acme/model/ner-ru/example', []);
    answers('/api/mlpcore/account/acme/model/ner-ru/action-descriptor', { schemaFiles: [] });
    answers('/api/mlpcore/account/acme/model/counter/example', [exampleOf(1, { request: '{"text": "one two"}' })]);
    answers('/api/mlpcore/account/acme/model/counter/action-descriptor', { schemaFiles: [] });
  });

  test('for pages comes with a script first, and with a command', async () => {
    created({ allowedOrigins: ['https://example.com'] });
    expect(await screen.findByLabelText('JavaScript')).toHaveTextContent(
      /await fetch\(.*'MLP-API-KEY': "5\.1\.secret"/,
    );
    expect(await command()).toHaveTextContent('MLP-API-KEY: 5.1.secret');
  });

  test('for programs comes without a script: with a call of a service that answers at once, as its author shows it', async () => {
    created();
    expect(await command()).toHaveTextContent(/\/account\/acme\/model\/counter\/predict'.*-d '\{"text":"one two"\}'/);
    expect(screen.queryByLabelText('JavaScript')).not.toBeInTheDocument();
  });

  test('that is limited to services comes with a call of the first, with data of its task type', async () => {
    created({ allowedServices: [{ accountId: 7, modelId: 7 }, ner.id, counter.id] });
    expect(await command()).toHaveTextContent(/\/account\/acme\/model\/ner-ru\/predict'.*-d '\{"texts":\[/);
  });

  test('that may only read comes with the list of what it may read', async () => {
    created({ permissions: ['read', 'write'] });
    expect(await command()).toHaveTextContent(
      /^curl '[^']*\/api\/mlpcore\/account\/5\/model\?onlyMy=true' \\ -H 'MLP-API-KEY: 5\.1\.secret'$/,
    );
  });

  test('that may neither call nor read comes without a command', async () => {
    created({ permissions: ['write'] });
    expect(await screen.findByLabelText('Key')).toHaveTextContent('5.1.secret');
    expect(screen.queryByLabelText('curl')).not.toBeInTheDocument();
  });

  test('is named, and has one button to copy it and one for the command', async () => {
    created();
    await command();
    expect(screen.getByRole('alert')).toHaveTextContent('The key “on my server” is shown once');
    expect(screen.getByLabelText('Key')).toHaveTextContent('5.1.secret');
    expect(
      screen.getAllByRole('button').map((button) => button.getAttribute('aria-label') ?? button.textContent),
    ).toEqual(['Copy the key', 'Copy', 'Done']);
  });
});

test('the secret is large, and wraps where a phone has no room for it', () => {
  const rule = /\.secret \{([^}]*)\}/.exec(
    readFileSync(resolve(process.cwd(), 'src/features/keys/keyParts.module.css'), 'utf8'),
  )?.[1];
  expect(rule).toContain('font-size: 20px');
  expect(rule).toContain('overflow-wrap: anywhere');
});

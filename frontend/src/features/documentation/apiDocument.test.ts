import { expect, test } from 'vitest';

import accountsadmin from '@/api/openapi/accountsadmin.json';
import mlpbilling from '@/api/openapi/mlpbilling.json';
import mlpcore from '@/api/openapi/mlpcore.json';
import mlpgateway from '@/api/openapi/mlpgateway.json';

import { type ApiDocument, forReader } from './apiDocument';

const DOCUMENTS = { accountsadmin, mlpcore, mlpgateway, mlpbilling } as unknown as Record<string, ApiDocument>;
const operations = ({ paths }: ApiDocument) => Object.values(paths).flatMap((methods) => Object.values(methods));

test.each(Object.entries(DOCUMENTS))('a visitor of %s reads no operation of administrators', (_, document) => {
  const shown = forReader(document, false);
  const limited = operations(document).filter((operation) => operation['x-audience']);
  expect(operations(shown)).toHaveLength(operations(document).length - limited.length);
  expect(operations(shown).filter((operation) => operation['x-audience'])).toEqual([]);
  expect(forReader(document, true)).toBe(document);
});

test('an operation of administrators does not hide its neighbour of the same path', () => {
  const document: ApiDocument = {
    paths: { '/a': { get: {}, delete: { 'x-audience': 'superadmin' } }, '/b': { post: { 'x-audience': 'internal' } } },
  };
  expect(forReader(document, false).paths).toEqual({ '/a': { get: {} } });
});

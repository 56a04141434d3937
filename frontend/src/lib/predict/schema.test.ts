import { describe, expect, test } from 'vitest';

import { faultsOf } from './faults';
import { allowedValues, exampleOf, fieldsIn, nestedFieldsIn, type Schema, schemasIn } from './schema';

const DOCUMENT = {
  methods: {
    predict: {
      input: {
        data: { $ref: '#/definitions/Request' },
        config: { anyOf: [{ $ref: '#/definitions/Manner' }, { type: 'null' }] },
      },
    },
  },
  definitions: {
    Request: {
      type: 'object',
      additionalProperties: false,
      required: ['texts', 'size'],
      properties: {
        texts: { type: 'array', items: { type: 'string' }, description: 'What to read' },
        size: { type: 'integer', minimum: 1 },
        voice: { anyOf: [{ enum: ['ru', 'en'], type: 'string' }, { type: 'null' }] },
        spec: { $ref: '#/definitions/Manner' },
      },
    },
    Manner: { type: 'object', properties: { language: { type: 'string', enum: ['en', 'ru'], default: 'en' } } },
    Round: { $ref: '#/definitions/Round' },
  },
};

const { data, config } = schemasIn(DOCUMENT) as { data: Schema; config: Schema };

describe('schemasIn', () => {
  test('finds what predict takes', () => {
    expect(fieldsIn(config)).toEqual([{ name: 'language', type: '"en" | "ru"', required: false, description: '' }]);
  });

  test.each([null, 'text', {}, { methods: { fit: {} } }])('%o holds none', (document) => {
    expect(schemasIn(document)).toEqual({ data: null, config: null });
  });
});

test('fields say their type, and whether they must be there', () => {
  expect(fieldsIn(data)).toEqual([
    { name: 'texts', type: 'string[]', required: true, description: 'What to read' },
    { name: 'size', type: 'integer', required: true, description: '' },
    { name: 'voice', type: '"ru" | "en"', required: false, description: '' },
    { name: 'spec', type: 'object', required: false, description: '' },
  ]);
});

test('a field with few values offers them', () => {
  expect(allowedValues(data, 'voice')).toEqual(['ru', 'en']);
  expect(allowedValues(data, 'texts')).toBeNull();
  expect(allowedValues(null, 'voice')).toBeNull();
});

test('an example has what must be there, and fits', () => {
  expect(exampleOf(data)).toEqual({ texts: [''], size: 1 });
  expect(faultsOf(data, exampleOf(data))).toEqual([]);
});

test('faults are what the service would refuse', () => {
  expect(faultsOf(data, { texts: 'one', voice: 'de', extra: 1 })).toEqual([
    { kind: 'missing', name: 'size' },
    { kind: 'type', name: 'texts', type: 'string[]' },
    { kind: 'type', name: 'voice', type: '"ru" | "en"' },
    { kind: 'unknown', name: 'extra' },
  ]);
  expect(faultsOf(data, { texts: [], size: 1, voice: null })).toEqual([]);
});

test('a definition that refers to itself does no harm', () => {
  const round = { root: { $ref: '#/definitions/Round' }, definitions: DOCUMENT.definitions };
  expect([fieldsIn(round), exampleOf(round), faultsOf(round, { a: 1 })]).toEqual([[], null, []]);
});

test('nested fields have their path, also in lists and optional objects', () => {
  const root = {
    type: 'object',
    required: ['parts'],
    properties: {
      parts: { type: 'array', items: { $ref: '#/definitions/Part' } },
      manner: { anyOf: [{ $ref: '#/definitions/Manner' }, { type: 'null' }] },
    },
  };
  const definitions = {
    ...DOCUMENT.definitions,
    Part: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/definitions/Part' } } },
    },
  };
  const rows = nestedFieldsIn({ root, definitions });
  expect(rows.map(({ name }) => name)).toEqual([
    'parts',
    'parts[].text',
    'parts[].parts',
    'parts[].parts[].text',
    'parts[].parts[].parts',
    'parts[].parts[].parts[].text',
    'parts[].parts[].parts[].parts',
    'manner',
    'manner.language',
  ]);
  expect(rows[1]).toEqual({ name: 'parts[].text', type: 'string', required: true, description: '' });
});

test('an example of a text that must not be empty is not empty', () => {
  expect(
    exampleOf({
      root: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
      definitions: {},
    }),
  ).toEqual({ name: 'string' });
});

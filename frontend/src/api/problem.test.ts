import { describe, expect, test } from 'vitest';

import { problemOf, splitByField, VALIDATION_FAILED } from './problem';

const refused = (args: Record<string, string>, message = 'bad input') =>
  problemOf(400, { code: VALIDATION_FAILED, message, status: 400, args, requestId: 'r' });

describe('problemOf', () => {
  test('reads the shape of all services', () => {
    expect(
      problemOf(404, {
        code: 'mlp.core.model_not_found',
        message: 'no',
        status: 404,
        args: { model: 5 },
        requestId: 'r-1',
      }),
    ).toEqual({
      status: 404,
      code: 'mlp.core.model_not_found',
      message: 'no',
      args: { model: '5' },
      requestId: 'r-1',
    });
  });

  test.each([null, '<html>', 7, {}])('%s from something in between says its status', (body) => {
    expect(problemOf(502, body)).toMatchObject({ status: 502, code: 'http.502', requestId: null });
  });
});

describe('splitByField', () => {
  test('errors go to the fields that the form has', () => {
    expect(splitByField(refused({ name: 'too long' }), ['name'])).toEqual({
      fields: { name: 'too long' },
      rest: false,
    });
  });

  test('what the form does not have makes its common message', () => {
    expect(splitByField(refused({ name: 'too long', other: 'x' }), ['name'])).toEqual({
      fields: { name: 'too long' },
      rest: true,
    });
  });

  test('a message of the form "path: text" names its field as well', () => {
    expect(splitByField(problemOf(409, { code: 'x', message: 'accountName: is taken' }), ['accountName'])).toEqual({
      fields: { accountName: 'is taken' },
      rest: false,
    });
  });

  test("any other message is the form's", () => {
    expect(splitByField(problemOf(409, { code: 'x', message: 'no: it is late' }), ['name'])).toEqual({
      fields: {},
      rest: true,
    });
  });
});

import { describe, expect, test } from 'vitest';

import { faultsOf } from './faults';
import type { Schema } from './schema';

const of = (properties: Record<string, unknown>, definitions: Record<string, unknown> = {}): Schema => ({
  root: { type: 'object', properties },
  definitions,
});

describe('faultsOf', () => {
  test('a value inside of another is named by its path', () => {
    const schema = of({
      spec: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string' }, size: { type: 'integer' } },
      },
      texts: { type: 'array', items: { type: 'string' } },
    });
    expect(faultsOf(schema, { spec: { size: 'x', 'a/b': 1 }, texts: ['a', 2] })).toEqual([
      { kind: 'missing', name: 'spec.name' },
      { kind: 'type', name: 'spec.size', type: 'integer' },
      { kind: 'unknown', name: 'spec.a/b' },
      { kind: 'type', name: 'texts.1', type: 'string' },
    ]);
  });

  test('a value of the right type outside of its bounds is an invalid value', () => {
    expect(faultsOf(of({ size: { type: 'integer', minimum: 1 } }), { size: 0 })).toEqual([
      { kind: 'value', name: 'size' },
    ]);
  });

  test('a value that fits no alternative is one error', () => {
    const schema = of({ input: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } });
    expect(faultsOf(schema, { input: [1, 2] })).toEqual([{ kind: 'type', name: 'input', type: 'string | string[]' }]);
    expect(faultsOf(schema, { input: ['a'] })).toEqual([]);
  });

  test('null fits where the schema allows it', () => {
    const schema = of({
      a: { type: ['string', 'null'] },
      b: { type: 'string', nullable: true },
      c: { type: 'string' },
    });
    expect(faultsOf(schema, { a: null, b: null, c: null })).toEqual([{ kind: 'type', name: 'c', type: 'string' }]);
  });

  test('an expensive regular expression is not run', () => {
    expect(
      faultsOf(of({ text: { type: 'string', pattern: '^(a+)+$', format: 'regex' } }), { text: `${'a'.repeat(40)}!` }),
    ).toEqual([]);
  });

  test('definitions that double with each level do not block the page', () => {
    const levels = Array.from({ length: 60 }, (_, level) => [
      `L${level}`,
      { allOf: [{ $ref: `#/$defs/L${level + 1}` }, { $ref: `#/$defs/L${level + 1}` }] },
    ]);
    const begun = performance.now();
    expect(faultsOf(of({ a: { $ref: '#/$defs/L0' } }, Object.fromEntries(levels)), { a: 1 })).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  test('an invalid schema finds no errors', () => {
    expect(faultsOf(of({ a: { type: 'string', minLength: {}, enum: 5 } }), { a: '' })).toEqual([]);
    expect(faultsOf(of({ a: { $ref: '#/$defs/None' } }), { a: 1 })).toEqual([]);
  });
});

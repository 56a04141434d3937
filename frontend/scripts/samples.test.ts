import { describe, expect, test } from 'vitest';

import mlpbilling from '@/api/openapi/mlpbilling.json';
import mlpcore from '@/api/openapi/mlpcore.json';

import { Samples, type Schema, type State } from '../e2e/gallery/samples.ts';

const of = (state: State, name: string, { components }: { components: { schemas: object } } = mlpcore) =>
  new Samples(components.schemas as Record<string, Schema>, state).of({ $ref: `#/components/schemas/${name}` });

const rows = (state: State) => (of(state, 'PagedModelInfoData') as { records: unknown[] }).records.length;
const long = (state: State) => (of(state, 'ModelInfoData') as { displayName: string }).displayName.length;

describe('a sample of a schema', () => {
  test('has all properties, in every state', () => {
    const properties = Object.keys(mlpcore.components.schemas.ModelInfoData.properties).toSorted();
    for (const state of ['empty', 'typical', 'crowded'] as const)
      expect(Object.keys(of(state, 'ModelInfoData') as object).toSorted()).toEqual(properties);
  });

  test('has as many rows as its state says', () => {
    expect([rows('empty'), rows('typical'), rows('crowded')]).toEqual([0, 4, 60]);
  });

  test('takes values of its sets only, and dates that can be read', () => {
    const balance = of('typical', 'BalanceShortData', mlpbilling) as { nextRefillDate: string };
    expect(Number.isNaN(Date.parse(balance.nextRefillDate))).toBe(false);
    expect(mlpcore.components.schemas.HostingType.enum).toContain(
      (of('typical', 'ModelInfoData') as { hostingType: string }).hostingType,
    );
  });

  test('is the same each time, and longer when crowded', () => {
    expect(of('typical', 'ModelInfoData')).toEqual(of('typical', 'ModelInfoData'));
    expect(long('crowded')).toBeGreaterThan(2 * long('typical'));
  });
});

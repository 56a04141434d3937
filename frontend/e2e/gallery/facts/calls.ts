import { NOW } from '../samples.ts';
import { type Fact, type Row, wave } from './base.ts';

/** Two weeks of a service that sleeps at night. */
const callPoints = () =>
  Array.from({ length: 48 }, (_, at) => {
    const calls = Math.round(20 + 180 * wave(at));
    return {
      timestamp: NOW - (48 - at) * 1_800_000,
      calls,
      failedCalls: at % 17 === 5 ? 4 : 0,
      medianLatencyMs: Math.round(70 + 30 * wave(at, 1)),
      p95LatencyMs: Math.round(160 + 120 * wave(at, 2)),
      amount: calls * 0.4,
    };
  });

/** What a service of names answers. */
export const ANSWER = {
  entities_list: [
    {
      entities: [
        {
          entity_type: 'PER',
          entity: 'Ada Lovelace',
          value: 'Ada Lovelace',
          span: { start_index: 0, end_index: 12 },
          source_type: null,
        },
        {
          entity_type: 'PER',
          entity: 'Charles Babbage',
          value: 'Charles Babbage',
          span: { start_index: 17, end_index: 32 },
          source_type: null,
        },
        {
          entity_type: 'LOC',
          entity: 'London',
          value: 'London',
          span: { start_index: 36, end_index: 42 },
          source_type: null,
        },
      ],
    },
  ],
};

export const FACTS: readonly Fact[] = [
  [
    /\/model\/[^/]+\/call-statistics$/,
    (body: Row) => ({
      ...body,
      stepSec: 1800,
      points: callPoints(),
      total: { timestamp: NOW, calls: 5210, failedCalls: 12, medianLatencyMs: 84, p95LatencyMs: 231, amount: 2084 },
    }),
  ],
  [
    /\/call-statistics$/,
    (body: Row[]) =>
      body.map((row, at) => ({
        ...row,
        calls: 5210 >> at,
        failedCalls: at === 1 ? 12 : 0,
        amount: 2084 / (at + 1),
        callsPerHour: Array.from({ length: 24 }, (_, hour) => Math.round(300 * wave(hour, at))),
      })),
  ],
  [
    /\/example$/,
    (body: Row[]) =>
      body.slice(0, 2).map((row, at) => ({
        ...row,
        name: ['News', 'A company'][at],
        request: JSON.stringify({
          texts: [['Ada Lovelace met Charles Babbage in London.', 'Яндекс открыл офис в Казани.'][at]],
        }),
        answer: JSON.stringify(ANSWER),
      })),
  ],
];

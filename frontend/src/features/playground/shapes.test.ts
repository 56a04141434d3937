import { describe, expect, test } from 'vitest';

import { audioOf, classesOf, cosine, entitiesOf, imagesOf, rateOf, textsOf, transcriptsOf, vectorsOf } from './shapes';
import { linesOf, parsed, withLines } from './useDraft';

const entity = (entity_type: string, start_index: number, end_index: number) => ({
  entity_type,
  span: { start_index, end_index },
});

describe('entitiesOf', () => {
  test('are in reading order, without overlaps and without nonsense', () => {
    const answer = {
      entities_list: [
        {
          entities: [entity('LOC', 8, 12), entity('PER', 0, 5), entity('BAD', 3, 9), { span: null }, entity('X', 9, 9)],
        },
      ],
    };
    expect(entitiesOf(answer)).toEqual([
      [
        { type: 'PER', start: 0, end: 5 },
        { type: 'LOC', start: 8, end: 12 },
      ],
    ]);
  });

  test.each([null, {}, { entities_list: 'no' }, 'text'])('%s holds none', (answer) => {
    expect(entitiesOf(answer)).toBeNull();
  });
});

test('vectors are compared by their direction', () => {
  expect(cosine([1, 0], [2, 0])).toBeCloseTo(1);
  expect(cosine([1, 0], [0, 3])).toBe(0);
  expect(cosine([0, 0], [1, 1])).toBe(0);
  expect(vectorsOf({ embedded_texts: [{ vector: [1] }, { vector: [] }] })).toBeNull();
});

test('only base64 is played', () => {
  expect(audioOf({ audio_base64: 'UklG Raaa' })).toBe('UklG Raaa');
  expect(audioOf({ audio_base64: '"><script>' })).toBeNull();
  expect(audioOf({ audio_base64: '' })).toBeNull();
});

test.each([
  [{ outputAudioSpec: { sampleRateHertz: 8000 } }, 8000],
  [{ outputAudioSpec: null }, null],
  [null, null],
  [{ outputAudioSpec: { sampleRateHertz: 1e9 } }, null],
])('%o asks for %s hertz', (request, rate) => {
  expect(rateOf(request)).toBe(rate);
});

test('classes are ordered by their scores; one without a score has none', () => {
  expect(
    classesOf({
      items_list: [{ items: [{ value: 'a' }, { value: 'b' }], scores: [0.2, 0.8] }, { items: [{ value: 'c' }] }, null],
    }),
  ).toEqual([
    [
      { label: 'b', score: 0.8 },
      { label: 'a', score: 0.2 },
    ],
    [{ label: 'c', score: null }],
    [],
  ]);
  expect(classesOf({ items: [] })).toBeNull();
});

test('what was heard has its confidence', () => {
  expect(transcriptsOf({ alternatives: [{ text: 'да', confidence: 0.9 }, {}] })).toEqual([
    { label: 'да', score: 0.9 },
    { label: '', score: null },
  ]);
  expect(transcriptsOf('да')).toBeNull();
});

test('images come from data or from a secure address', () => {
  expect(
    imagesOf({ data: [{ b64_json: 'AA==' }, { url: 'javascript:alert(1)' }, { url: 'https://x.example/i.png' }] }),
  ).toEqual(['data:image/png;base64,AA==', 'https://x.example/i.png']);
});

describe('a form of a request', () => {
  test('shows texts as lines, and writes them back without losing the rest', () => {
    const request = { texts: ['a', 'b'], top: 3 };
    expect(linesOf('texts', request)).toBe('a\nb');
    expect(withLines('texts', request, 'x\ny')).toEqual({ texts: ['x', 'y'], top: 3 });
    expect(textsOf({ texts: ['a', 1] })).toBeNull();
  });

  test('is not there for what is no JSON', () => {
    expect(parsed('{')).toEqual({ ok: false });
  });
});

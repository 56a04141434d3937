import { describe, expect, test } from 'vitest';

import { audioOf, cosine, entitiesOf, imagesOf, textsOf, vectorsOf } from './shapes';
import { linesOf, parsed, withLines } from './useDraft';

const entity = (entity_type: string, start_index: number, end_index: number) => ({ entity_type, span: { start_index, end_index } });

describe('entitiesOf', () => {
  test('are in reading order, without overlaps and without nonsense', () => {
    const answer = { entities_list: [{ entities: [entity('LOC', 8, 12), entity('PER', 0, 5), entity('BAD', 3, 9), { span: null }, entity('X', 9, 9)] }] };
    expect(entitiesOf(answer)).toEqual([[{ type: 'PER', start: 0, end: 5 }, { type: 'LOC', start: 8, end: 12 }]]);
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

test('audio tells its format by its first bytes, and only base64 is played', () => {
  expect(audioOf({ audio_base64: 'UklGRaaa' })).toBe('data:audio/wav;base64,UklGRaaa');
  expect(audioOf({ audio_base64: '"><script>' })).toBeNull();
});

test('images come from data or from a secure address', () => {
  expect(imagesOf({ data: [{ b64_json: 'AA==' }, { url: 'javascript:alert(1)' }, { url: 'https://x.example/i.png' }] })).toEqual([
    'data:image/png;base64,AA==', 'https://x.example/i.png',
  ]);
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

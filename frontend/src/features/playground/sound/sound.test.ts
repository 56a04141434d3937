import { describe, expect, test } from 'vitest';

import { fromBase64, toBase64 } from '@/lib/predict/base64';

import { peaksOf, soundOf, wavOfSamples } from './sound';

const bytes = (...values: number[]) => toBase64(new Uint8Array(values));

describe('base64', () => {
  test('carries any bytes there and back, many of them too', () => {
    const many = Uint8Array.from({ length: 200_001 }, (_, index) => index % 256);
    const text = toBase64(many);
    expect(toBase64(fromBase64(text) ?? new Uint8Array())).toBe(text);
    expect(fromBase64(text)?.at(-1)).toBe(many.at(-1));
  });

  test('what is none is null', () => {
    expect(fromBase64('"><script>')).toBeNull();
  });
});

describe('soundOf', () => {
  test.each([
    [bytes(0x4f, 0x67, 0x67, 0x53, 0), 'audio/ogg'],
    [bytes(0x49, 0x44, 0x33, 4), 'audio/mpeg'],
    [bytes(0xff, 0xfb, 0x90, 0), 'audio/mpeg'],
    [bytes(0x66, 0x4c, 0x61, 0x43), 'audio/flac'],
    [bytes(0, 0, 0, 32, 0x66, 0x74, 0x79, 0x70), 'audio/mp4'],
  ])('%s tells its format itself', (audio, type) => {
    expect(soundOf(audio, 16_000)?.type).toBe(type);
  });

  test('bare samples get the header that makes them playable', () => {
    const sound = soundOf(bytes(1, 0, 255, 127), 22_050);
    expect(sound?.type).toBe('audio/wav');
    const view = new DataView(sound?.bytes.buffer ?? new ArrayBuffer(44));
    expect([view.getUint32(24, true), view.getUint16(22, true), view.getUint32(40, true)]).toEqual([22_050, 1, 4]);
    expect(sound?.bytes.length).toBe(48);
  });

  test('half a sample at the end is left out', () => {
    expect(soundOf(bytes(1, 0, 5), 8000)?.bytes.length).toBe(46);
  });

  test('what is no base64 is no sound', () => {
    expect(soundOf('"><script>', 8000)).toBeNull();
  });
});

test('peaks follow the loudness, and louder than loud is cut', () => {
  const wav = wavOfSamples(new Float32Array([0, 0.1, -0.5, 0.25, 2, 0]), 8000);
  const peaks = peaksOf({ bytes: wav, type: 'audio/wav', extension: 'wav' }, 3) ?? [];
  expect(peaks.map((peak) => Math.round(peak * 10) / 10)).toEqual([0.1, 0.5, 1]);
});

test('no peaks of what is compressed', () => {
  expect(peaksOf({ bytes: new Uint8Array(100), type: 'audio/mpeg', extension: 'mp3' }, 3)).toBeNull();
});

import { fromBase64 } from '@/lib/predict/base64';

/** 16 kHz mono, as speech recognition expects. */
export const SPEECH_HERTZ = 16_000;
/** Default rate of speech: that of eSpeak and most small voices. */
export const USUAL_HERTZ = 22_050;
const HEADER = 44;

/** A 16-bit mono WAV file from samples between -1 and 1. */
export function wavOfSamples(samples: Float32Array, hertz: number): Uint8Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  for (const [index, sample] of samples.entries()) pcm[index] = Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff);
  return wavOfPcm(new Uint8Array(pcm.buffer), hertz);
}

/** A WAV header for raw samples: 16 bits, mono, little-endian. */
export function wavOfPcm(pcm: Uint8Array, hertz: number): Uint8Array<ArrayBuffer> {
  const whole = pcm.length - (pcm.length % 2);
  const file = new Uint8Array(HEADER + whole);
  const view = new DataView(file.buffer);
  const word = (offset: number, text: string) => file.set(new TextEncoder().encode(text), offset);
  word(0, 'RIFF');
  view.setUint32(4, 36 + whole, true);
  word(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, hertz, true);
  view.setUint32(28, hertz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, 'data');
  view.setUint32(40, whole, true);
  file.set(pcm.subarray(0, whole), HEADER);
  return file;
}

export interface Sound {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  extension: string;
}

/** Recognised by the first bytes; others are raw samples, which speech services send. */
export function soundOf(base64: string, hertz: number): Sound | null {
  const bytes = fromBase64(base64);
  if (!bytes || bytes.length < 2) return null;
  const begins = (text: string, offset = 0) =>
    Array.from(text).every((letter, index) => bytes[offset + index] === letter.charCodeAt(0));
  if (begins('RIFF')) return { bytes, type: 'audio/wav', extension: 'wav' };
  if (begins('OggS')) return { bytes, type: 'audio/ogg', extension: 'ogg' };
  if (begins('fLaC')) return { bytes, type: 'audio/flac', extension: 'flac' };
  if (begins('ftyp', 4)) return { bytes, type: 'audio/mp4', extension: 'm4a' };
  if (begins('ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2))
    return { bytes, type: 'audio/mpeg', extension: 'mp3' };
  return { bytes: wavOfPcm(bytes, hertz), type: 'audio/wav', extension: 'wav' };
}

/** The peak of each of `count` sections, from 0 to 1; null unless it is 16-bit WAV. */
export function peaksOf({ bytes, type }: Sound, count: number): number[] | null {
  if (type !== 'audio/wav' || bytes.length <= HEADER || new DataView(bytes.buffer).getUint16(34, true) !== 16)
    return null;
  const view = new DataView(bytes.buffer, HEADER);
  const samples = Math.floor(view.byteLength / 2);
  const stretch = Math.max(1, Math.ceil(samples / count));
  const peaks: number[] = [];
  for (let start = 0; start < samples; start += stretch) {
    let most = 0;
    for (let at = start; at < Math.min(samples, start + stretch); at += 1)
      most = Math.max(most, Math.abs(view.getInt16(at * 2, true)));
    peaks.push(most / 0x8000);
  }
  return peaks;
}

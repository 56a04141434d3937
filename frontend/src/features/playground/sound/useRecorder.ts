import { useEffect, useRef, useState } from 'react';

import { SPEECH_HERTZ, wavOfSamples } from './sound';

export type RecorderState = 'idle' | 'asking' | 'recording' | 'working';
export type RecorderFault = 'refused' | 'unsupported' | 'unreadable';

export const LONGEST_MS = 60_000;
const PIECE_MS = 200;
const SILENT_MS = 10_000;

/** Converts any sound that the browser can decode for speech recognition: 16 kHz, mono, WAV. */
export async function asSpeech(data: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  // A context with this rate resamples while it decodes.
  const context = new OfflineAudioContext(1, 1, SPEECH_HERTZ);
  const decoded = await context.decodeAudioData(data);
  const mixed = new Float32Array(decoded.length);
  for (let channel = 0; channel < decoded.numberOfChannels; channel += 1) {
    for (const [index, sample] of decoded.getChannelData(channel).entries())
      mixed[index] = (mixed[index] ?? 0) + sample / decoded.numberOfChannels;
  }
  return wavOfSamples(mixed, SPEECH_HERTZ);
}

/**
 * Records from the microphone for a minute at most. Releases it when the recording ends or the page is left.
 *
 * The state is "recording" only after the first sound: a recording stopped before that would be an unreadable file.
 */
export function useRecorder(onRecorded: (wav: Uint8Array) => void) {
  const [state, setState] = useState<RecorderState>('idle');
  const [fault, setFault] = useState<RecorderFault | null>(null);
  const recorder = useRef<MediaRecorder | null>(null);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      release(recorder.current);
    };
  }, []);

  const finish = async (pieces: Blob[]) => {
    if (gone.current) return;
    setState('working');
    try {
      onRecorded(await asSpeech(await new Blob(pieces).arrayBuffer()));
    } catch {
      setFault('unreadable');
    }
    setState('idle');
  };
  const start = async () => {
    setFault(null);
    // Browsers allow the microphone only on secure origins.
    if (!('mediaDevices' in navigator) || typeof MediaRecorder === 'undefined') return setFault('unsupported');
    setState('asking');
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const own = new MediaRecorder(stream);
      recorder.current = own;
      if (gone.current) return release(own);
      const pieces: Blob[] = [];
      own.addEventListener('dataavailable', ({ data }) => {
        if (data.size === 0) return;
        pieces.push(data);
        setState((before) => (before === 'asking' ? 'recording' : before));
      });
      own.addEventListener('stop', () => {
        release(own);
        void finish(pieces);
      });
      own.start(PIECE_MS);
      setTimeout(() => own.state === 'recording' && own.stop(), LONGEST_MS);
      setTimeout(() => own.state === 'recording' && pieces.length === 0 && own.stop(), SILENT_MS);
    } catch {
      setFault('refused');
      setState('idle');
    }
  };
  return { state, fault, start: () => void start(), stop: () => recorder.current?.stop() };
}

function release(recorder: MediaRecorder | null): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop();
}

import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';

import { wavOfPcm } from './sound';
import { clock, SoundView } from './SoundView';

const SOUND = { bytes: wavOfPcm(new Uint8Array(8000), 4000), type: 'audio/wav', extension: 'wav' };

function shown() {
  show(<SoundView sound={SOUND} label="Speech" name="speech" />);
  const audio = screen.getByLabelText<HTMLAudioElement>('Speech');
  Object.defineProperty(audio, 'duration', { value: 70 });
  fireEvent.loadedMetadata(audio);
  return audio;
}

test('one button plays and pauses', async () => {
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  const pause = vi.spyOn(HTMLMediaElement.prototype, 'pause').mockReturnValue();
  const audio = shown();
  await userEvent.click(screen.getByRole('button', { name: 'Play' }));
  expect(play).toHaveBeenCalledOnce();
  fireEvent.play(audio);
  await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
  expect(pause).toHaveBeenCalledOnce();
});

test('the waveform is the slider of the position', () => {
  const audio = shown();
  fireEvent.change(screen.getByRole('slider', { name: 'Position' }), { target: { value: '500' } });
  expect(audio.currentTime).toBe(35);
  expect(screen.getByText('0:35 / 1:10')).toBeInTheDocument();
  const bars = screen.getByTestId('player').querySelectorAll('rect');
  expect([...bars].filter((bar) => bar.hasAttribute('data-played'))).toHaveLength(bars.length / 2);
});

test('there is one player, which can be downloaded', () => {
  const audio = shown();
  expect(audio).not.toHaveAttribute('controls');
  expect(screen.getByRole('link', { name: 'Download' })).toHaveAttribute('download', 'speech.wav');
});

test.each([
  [0, '0:00'],
  [61.9, '1:01'],
  [Number.NaN, '0:00'],
  [Number.POSITIVE_INFINITY, '0:00'],
])('%d s is %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});

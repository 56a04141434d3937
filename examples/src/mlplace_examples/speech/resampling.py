"""Change the sampling rate of PCM."""

import numpy as np

_SAMPLE = np.dtype("<i2")
_FULL_SCALE = 32767
# Silence at the end, in samples: the transform treats the signal as periodic, and one edge must not ring into the
# other.
_PADDING = 512


def resample(pcm: bytes, *, source_hertz: int, target_hertz: int) -> bytes:
    """Band-limited, by cutting or padding the spectrum; 16-bit little-endian mono in and out."""
    if source_hertz == target_hertz or not pcm:
        return pcm
    samples = np.frombuffer(pcm, _SAMPLE)
    padded = np.pad(samples.astype(np.float64), (0, _PADDING))
    length = round(len(padded) * target_hertz / source_hertz)
    # irfft cuts a longer spectrum and pads a shorter one.
    converted = np.fft.irfft(np.fft.rfft(padded), length) * (length / len(padded))
    wanted = converted[: round(len(samples) * target_hertz / source_hertz)]
    return np.clip(np.round(wanted), -_FULL_SCALE - 1, _FULL_SCALE).astype(_SAMPLE).tobytes()

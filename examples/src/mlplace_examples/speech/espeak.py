"""The eSpeak NG library inside this process: text in, 16-bit PCM out."""

import ctypes
import threading
from collections.abc import Callable

import espeakng_loader

# Values of speak_lib.h.
_OUTPUT_SYNCHRONOUS = 2
_DO_NOT_EXIT = 0x8000
_CHARACTERS_UTF8 = 1
_POSITION_CHARACTER = 1
_OK = 0

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class SpeechFailedError(RuntimeError):
    """The library refused a voice or a text."""


class Espeak:
    """Use one object per process: the library keeps its state in globals, so calls are serialised."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        self._turn = threading.Lock()
        data_path = espeakng_loader.get_data_path().encode()
        self.sample_rate: int = self._library.espeak_Initialize(_OUTPUT_SYNCHRONOUS, 0, data_path, _DO_NOT_EXIT)
        if self.sample_rate <= 0:
            raise SpeechFailedError("the speech library did not start")
        self._pcm = bytearray()
        # The library keeps the pointer, so the callback must live as long as this object.
        self._callback = _Callback(self._collect)
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, voice: str) -> bytes:
        """PCM, 16 bits, little-endian, mono, at ``sample_rate``."""
        encoded = text.encode()
        with self._turn:
            self._pcm.clear()
            self._require(self._library.espeak_SetVoiceByName, voice.encode())
            self._require(
                self._library.espeak_Synth,
                ctypes.c_char_p(encoded),
                ctypes.c_size_t(len(encoded) + 1),
                ctypes.c_uint(0),
                _POSITION_CHARACTER,
                ctypes.c_uint(0),
                ctypes.c_uint(_CHARACTERS_UTF8),
                None,
                None,
            )
            self._require(self._library.espeak_Synchronize)
            return bytes(self._pcm)

    def _collect(self, samples: "ctypes._Pointer[ctypes.c_short]", count: int, _events: object) -> int:
        if samples and count > 0:
            self._pcm += ctypes.string_at(samples, count * 2)
        return 0

    @staticmethod
    def _require(function: Callable[..., int], *arguments: object) -> None:
        code = function(*arguments)
        if code != _OK:
            raise SpeechFailedError(f"the speech library answered {code}")

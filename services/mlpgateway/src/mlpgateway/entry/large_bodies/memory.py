"""Anonymous memory that another process can map."""

import ctypes
import mmap
import os
import tempfile
from typing import Final, Self

_PAGE: Final = mmap.PAGESIZE


class SharedBody:
    """A body while it arrives. The kernel allocates each page only when it is written.

    `fd` is open until `detach`; the memory lives as long as a view of it.
    """

    def __init__(self, most: int) -> None:
        """Reserves space for `most` bytes. Raises OSError."""
        self.fd = _anonymous_file()
        try:
            os.ftruncate(self.fd, max(most, 1))
            self._memory = mmap.mmap(self.fd, max(most, 1))
        except BaseException:
            os.close(self.fd)
            raise
        self._size = 0

    @classmethod
    def of(cls, body: bytes | bytearray | memoryview) -> Self:
        """Returns a copy of the body. Raises OSError. Other threads run meanwhile: the kernel copies."""
        made, rest = cls(len(body)), memoryview(body)
        while rest:
            rest = rest[os.pwrite(made.fd, rest, len(body) - len(rest)) :]
        made._size = len(body)
        return made

    def extend(self, chunk: bytes) -> None:
        end = self._size + len(chunk)
        self._memory[self._size : end] = chunk
        self._size = end

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return bytes(self.view)

    @property
    def view(self) -> memoryview:
        """A read-only view of all that has arrived."""
        return memoryview(self._memory)[: self._size].toreadonly()

    def detach(self) -> None:
        """Closes `fd`: no other process needs to map the memory any more."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __del__(self) -> None:
        self.detach()


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("mlplace-request-body")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class _Buffer(ctypes.Structure):
    """`Py_buffer` of CPython's C API, which is stable since 3.11."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def place_within(part: memoryview, whole: memoryview) -> int | None:
    """Returns the offset in `whole` at which `part` begins; None when `part` is not inside it."""
    start = _address(part) - _address(whole)
    return start if start >= 0 and start + len(part) <= len(whole) else None


def _address(view: memoryview) -> int:
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    try:
        return int(buffer.buf or 0)
    finally:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))

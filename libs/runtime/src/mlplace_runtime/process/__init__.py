"""One service as a process of its own: the distributed shape."""

from mlplace_runtime.process.program import Program

__all__ = ["Program"]

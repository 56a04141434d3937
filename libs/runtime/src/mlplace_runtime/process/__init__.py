"""Runs one service as its own process, as in the distributed shape."""

from mlplace_runtime.process.program import Program

__all__ = ["Program"]

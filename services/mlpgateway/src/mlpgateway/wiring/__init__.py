"""Composes the rooms below into one gateway. Nothing below knows it."""

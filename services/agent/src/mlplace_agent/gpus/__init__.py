"""Finds the GPUs of this machine."""

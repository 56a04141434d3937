"""Streams of connected instances: messages, heartbeats, batches, drain."""

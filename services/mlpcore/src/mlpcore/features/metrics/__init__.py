"""Samples of calls and of resources, their roll-ups, and the calls that show them."""

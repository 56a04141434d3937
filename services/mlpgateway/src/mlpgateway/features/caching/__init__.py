"""Caching of answers in a database of the model's owner."""

"""The states of an instance over its life, and the history of its runs."""

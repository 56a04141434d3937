"""The share of a gate that one account may use at a time."""

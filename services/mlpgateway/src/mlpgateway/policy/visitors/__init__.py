"""Calls of visitors who are not signed in: which models they reach, how often, and at what risk for the owner."""

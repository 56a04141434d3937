"""Versions of a model: who changed which settings, and the settings after each change."""

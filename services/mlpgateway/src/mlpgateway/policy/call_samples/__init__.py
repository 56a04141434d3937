"""Counts calls for measures: what ended in an interval, and how many calls were active and waiting."""

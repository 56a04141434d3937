"""Other gates: calls that they serve for this one, and concurrency slots that they grant."""

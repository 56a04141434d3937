"""Answers to calls with an Idempotency-Key: a repeated call gets the first answer."""

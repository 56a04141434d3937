"""Predictions, which are calls in the background: their states, outputs and webhooks."""

"""Calls in the background: their states, their outputs, their webhooks."""

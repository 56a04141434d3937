"""Answers that a service's own database remembers."""

"""Finds the caller, the payer and the models that they may call."""

"""Refusals and failures of the gateway, by what refuses."""

"""Calls over HTTP: routes, bodies, answers and streams."""

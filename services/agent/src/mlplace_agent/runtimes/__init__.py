"""Runtimes that run an instance: a plain process or a container."""

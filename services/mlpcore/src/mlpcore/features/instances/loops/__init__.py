"""Loops that compare instances with what is requested, what is allocated, and which servers go."""

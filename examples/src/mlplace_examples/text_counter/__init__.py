"""A model that speaks plain HTTP: no SDK, only the standard library."""

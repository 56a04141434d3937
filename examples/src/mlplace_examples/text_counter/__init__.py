"""A service that speaks plain HTTP: no SDK, nothing but the standard library."""

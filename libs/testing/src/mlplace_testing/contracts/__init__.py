"""Contract tests: what each adapter of a port must pass."""

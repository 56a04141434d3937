"""Contract tests that each adapter of a port must pass."""

"""Real servers for tests: containers if a Docker engine answers, else processes."""

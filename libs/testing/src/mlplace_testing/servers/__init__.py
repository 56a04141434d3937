"""Real servers for tests: containers where a Docker engine answers, processes else."""

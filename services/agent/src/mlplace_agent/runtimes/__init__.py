"""Ways to run an instance: a plain process, or a container."""

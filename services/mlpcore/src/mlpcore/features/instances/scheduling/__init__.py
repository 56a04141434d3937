"""Makes the instances as many as are requested, and gives each one a server."""

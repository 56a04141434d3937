"""Version of the service, and its protocol file."""

"""The version of the service, and its protocol file."""

"""The hosting-server agent: runs the instances that the platform assigns to this server."""

__version__ = "0.1.0"

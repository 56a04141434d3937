"""The hosting-server agent: keeps the instances running that the platform asks this server for."""

__version__ = "0.1.0"

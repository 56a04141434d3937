"""One-shot commands for an installation of the distributed shape."""

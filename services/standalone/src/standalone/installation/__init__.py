"""One-shot work on an installation of the distributed shape, done from outside of its services."""

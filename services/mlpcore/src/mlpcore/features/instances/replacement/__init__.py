"""Replaces instances: by ones with the current configuration, or on other servers when theirs goes."""

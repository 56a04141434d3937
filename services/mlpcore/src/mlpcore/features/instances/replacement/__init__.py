"""Replaces instances, by one rule: by ones with the current configuration, or on other servers when theirs goes."""

"""What each account stores, beside its limit, and how long it is kept."""

"""Requests to addresses that tenants set: each address is checked, and only a checked address is called."""

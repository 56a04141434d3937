"""Limits of accounts and keys, enforced in memory on leases from buckets that all gates share."""

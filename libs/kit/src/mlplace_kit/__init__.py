"""Ids, clock, money, errors, pagination, names and the settings base. No I/O."""

"""The cost of calls, and the leases of payers' money from which it is drawn."""

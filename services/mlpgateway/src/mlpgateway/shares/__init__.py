"""How much of a gate one account may have at a time."""

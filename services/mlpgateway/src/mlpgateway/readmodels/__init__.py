"""What this gate knows of keys, models, limits, balances and instances, from compacted topics."""

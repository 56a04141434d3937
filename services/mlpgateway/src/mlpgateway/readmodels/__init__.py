"""The gate's knowledge of keys, models, limits, balances and instances, built from compacted topics."""

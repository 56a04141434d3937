"""What a gate sees of other gates and of instances."""

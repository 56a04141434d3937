"""Shows the other gates and the instances that a gate knows."""

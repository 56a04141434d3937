"""How many instances a model should have: requests of owners, calls that wake it, decisions of autoscaling."""

"""What owners see of the recent calls of their models."""

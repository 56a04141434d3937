"""What every service runs on."""

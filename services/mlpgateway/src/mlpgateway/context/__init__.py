"""One admitted call while it runs: its cost, its usage, and what the archive keeps of it."""

"""One admitted call while it runs: what it may cost, what it used, and what the archive keeps of it."""

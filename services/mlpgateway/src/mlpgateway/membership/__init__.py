"""Which gates live, and how each of them learns it."""

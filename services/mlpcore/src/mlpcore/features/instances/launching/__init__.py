"""Creates instances, and builds the environment they start with."""

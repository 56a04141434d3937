"""The priority queue of each model, and the concurrency slots at its instances."""

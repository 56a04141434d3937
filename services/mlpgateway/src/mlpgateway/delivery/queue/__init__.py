"""The request queue of each model, and the concurrency slots of its instances."""

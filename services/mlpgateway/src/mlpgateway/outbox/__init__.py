"""Events other than usage: written in batches, published by the relay."""

"""Changes the number of instances of AUTOMATIC models with their load, by schedule, and while nobody calls them."""

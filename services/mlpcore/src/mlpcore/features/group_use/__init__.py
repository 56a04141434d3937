"""What resource groups have, what is allocated of it, and which services run there."""

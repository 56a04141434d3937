"""What administrators do with the resource groups of all accounts: read, change, and move services between them."""

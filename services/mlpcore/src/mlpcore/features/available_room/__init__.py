"""What an account may still place: in a resource group, and within its limits."""

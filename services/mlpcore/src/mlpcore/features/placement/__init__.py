"""Where instances get room: what a service needs, what servers have left, and which server is chosen."""

"""Who is asking, and how the services find out."""

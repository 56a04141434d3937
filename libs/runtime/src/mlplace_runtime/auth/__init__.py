"""Authentication: who is asking, by session, API key or internal token."""

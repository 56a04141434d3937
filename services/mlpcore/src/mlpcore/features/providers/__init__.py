"""Who runs instances on servers: each provider is a folder behind `port.py`, and `turn.py` is what is common to all."""

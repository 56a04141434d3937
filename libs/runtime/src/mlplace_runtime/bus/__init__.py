"""The event bus: one port, adapters behind it, consumers on top of it."""

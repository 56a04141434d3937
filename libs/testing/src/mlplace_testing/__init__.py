"""A pytest plugin: migrated databases, buses, principals, and checks that every app must pass."""

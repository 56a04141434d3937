"""A pytest plugin: databases built by the migrations, buses, principals, and the checks every app must pass."""

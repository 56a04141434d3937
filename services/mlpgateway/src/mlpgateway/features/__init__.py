"""Features besides calls, each with its own tables: predictions, idempotency keys, archive, caching, storage."""

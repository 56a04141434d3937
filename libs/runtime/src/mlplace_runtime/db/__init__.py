"""PostgreSQL: sessions and transactions, outbox, inbox, migrations, the embedded server."""

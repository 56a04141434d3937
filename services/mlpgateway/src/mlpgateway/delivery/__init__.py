"""Finds an instance for an admitted call and sends the call there: circuit breaker, retries, hedging, batches."""

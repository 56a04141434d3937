"""How services do, by day, hour and minute: answered and failed calls, and a histogram of latencies."""

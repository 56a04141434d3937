"""How services do, per day: answered and failed calls, and a histogram of latencies."""

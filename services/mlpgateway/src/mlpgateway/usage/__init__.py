"""Usage on the gate's disk: durable before an answer leaves, and shipped to the bus in order."""

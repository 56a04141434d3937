"""Usage on the disk of the gate, durable before an answer leaves, and shipped to the bus in order."""

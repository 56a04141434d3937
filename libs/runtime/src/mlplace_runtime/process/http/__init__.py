"""The HTTP server of a process: bounded heads, bodies and connections in front of the ASGI app."""

"""Requests, pages and WebSockets that are passed on to a model's own HTTP server."""

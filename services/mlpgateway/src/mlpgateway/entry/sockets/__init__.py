"""Requests, pages and WebSockets that are passed on to a service's own HTTP server."""

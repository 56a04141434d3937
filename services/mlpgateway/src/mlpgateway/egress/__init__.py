"""Requests to addresses that owners name: each address is judged, and only a judged one is dialled."""

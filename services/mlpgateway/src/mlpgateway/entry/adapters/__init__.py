"""Protocols of others in terms of calls: OpenAI, and speech over HTTP."""

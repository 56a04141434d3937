"""Adapters from other APIs to calls: OpenAI's, and speech over HTTP."""

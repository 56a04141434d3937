"""How calls come in. Each protocol is turned into calls; none of them knows how a call is served."""

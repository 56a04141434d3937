"""How calls go out: to instances by their streams or over HTTP, and to the other gates."""

"""Request bodies of megabytes: where they lie in memory, and who reads them.

Parsing JSON holds the interpreter: 100 MB of it would stop every call of the gate for a third of a second. So a large
body lies in memory that a second process maps as well, and that one parses it. What it finds comes back as places
within the body; the text itself is not copied.
"""

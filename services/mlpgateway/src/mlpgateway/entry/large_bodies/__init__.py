"""Request bodies of megabytes: where they lie in memory, and who reads them.

Parsing 100 MB of JSON holds the interpreter for a third of a second, and every call of the gate with it. So a large
body lies in memory that a second process maps as well, and that process parses it. What it finds comes back as places
within the body; the text itself is not copied.
"""

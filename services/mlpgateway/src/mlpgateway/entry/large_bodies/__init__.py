"""Request bodies of megabytes: their memory, and the process that parses them.

Parsing 100 MB of JSON holds the interpreter for a third of a second, and with it every call of the gate. So a large
body is in memory that a second process maps as well, and that process parses it. It returns positions within the body;
the text itself is not copied.
"""

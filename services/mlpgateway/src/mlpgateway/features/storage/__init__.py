"""The storage that each account uses, its limit, and how long data is kept."""

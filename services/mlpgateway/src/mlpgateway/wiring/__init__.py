"""Composes the packages below into one gateway. None of them imports this one."""

"""The limit of open files of a process; each connection needs one."""

import contextlib
import resource
from typing import Final

_ENOUGH: Final = 65_536  # child processes inherit the limit, and some close every number below it one by one


def raise_descriptor_limit() -> int:
    """Raises the soft limit to the hard one, up to a sufficient number. Returns it. Does nothing without permission."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return descriptor_limit()


def descriptor_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _ENOUGH if soft == resource.RLIM_INFINITY else soft

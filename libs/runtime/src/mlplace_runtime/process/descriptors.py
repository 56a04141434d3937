"""How many files a process may open: each connection is one."""

import contextlib
import resource
from typing import Final

_ENOUGH: Final = 65_536  # child processes inherit it, and some close every number below it one by one


def raise_descriptor_limit() -> int:
    """The soft limit becomes the hard one, up to what is enough. Returns it. It changes nothing where it may not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return descriptor_limit()


def descriptor_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _ENOUGH if soft == resource.RLIM_INFINITY else soft

"""A program of a hosting server that notes when it begins and when it ends.

`python -I timed_program.py FILE`: each line of the file is a word and the seconds since the epoch.
"""

import os
import signal
import sys
import time


def main(path: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    _note(path, "begins")
    try:
        while True:
            signal.pause()
    finally:
        _note(path, "ends")


def _note(path: str, word: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{word} {time.time():.6f}\n".encode())
    os.close(descriptor)


if __name__ == "__main__":
    main(sys.argv[1])

"""Benchmarks of the platform: `python -m benchmarks`, or `make bench`. `docs/performance.md` explains the figures."""

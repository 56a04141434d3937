"""Measurements of the platform: `python -m benchmarks`, or `make bench`. `docs/performance.md` says what they mean."""

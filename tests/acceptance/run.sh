#!/usr/bin/env bash
# Test the main job against a running platform: tests/acceptance/run.sh CHECKOUT PORT [pytest options], where CHECKOUT
# is the folder in which `make run` runs.
set -euo pipefail
clone=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
MLP_ACCEPTANCE_CHECKOUT=$clone MLP_ACCEPTANCE_URL=http://localhost:$2 \
    exec .venv/bin/python tools/run_tests.py pytest -p no:cacheprovider tests/acceptance "${@:3}"

#!/usr/bin/env bash
# The main job against a running platform: tests/acceptance/run.sh CHECKOUT PORT [OPTIONS], where CHECKOUT is what
# `make run` runs from and OPTIONS are those of pytest.
set -euo pipefail
clone=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
MLP_ACCEPTANCE_CHECKOUT=$clone MLP_ACCEPTANCE_URL=http://localhost:$2 \
    exec .venv/bin/python -m pytest -p no:cacheprovider -x tests/acceptance "${@:3}"

#!/usr/bin/env bash
# Kill every part of a running compose project under load: tests/resilience/run.sh CHECKOUT PORT [pytest options], where
# CHECKOUT is the folder in which `make up` ran. Takes about five minutes. The project must have the demo, and no data
# that matters.
set -euo pipefail
checkout=$(cd "$1" && pwd) port=$2
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
MLP_ACCEPTANCE_CHECKOUT=$checkout MLP_ACCEPTANCE_URL=http://localhost:$port \
    exec .venv/bin/python tools/run_tests.py pytest -p no:cacheprovider -rfEP tests/resilience "$@"

"""What the command line loads before it does anything."""

import subprocess
import sys

HEAVY = {
    "fastapi", "uvicorn", "starlette", "sqlalchemy", "alembic", "grpc", "aiohttp", "httpx", "pymongo", "docker",
    "accountsadmin", "mlpcore", "mlpgateway", "mlpbilling", "mlplace_examples",
}  # fmt: skip


def test_a_start_begins_before_the_services_and_their_libraries_are_loaded() -> None:
    code = "import sys, standalone.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "standalone" in loaded.stdout.split()
    assert HEAVY & set(loaded.stdout.split()) == set()

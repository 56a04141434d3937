import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from mlplace_testing.servers.nginx import Launcher, Nginx
from mlplace_testing.waiting import eventually

CONFIG = Path(__file__).parents[1]


class TestConfiguration:
    def test_nginx_accepts_it_without_a_warning(self, launcher: Launcher, environment: dict[str, str]) -> None:
        nginx = Nginx(launcher, environment)
        answer = nginx.check()
        nginx.stop()
        told = answer.stdout + answer.stderr
        assert answer.returncode == 0, told
        assert "[warn]" not in told

    @pytest.mark.parametrize("snippet", sorted((CONFIG / "snippets").glob("*.conf")), ids=lambda path: path.stem)
    def test_each_snippet_begins_with_its_reason_and_is_used(self, snippet: Path) -> None:
        users = [*CONFIG.glob("*.conf"), *CONFIG.glob("*/*.conf"), *CONFIG.glob("*/*.template")]
        assert snippet.read_text().startswith("# ")
        assert any(f"include snippets/{snippet.name};" in user.read_text() for user in users)


class TestOwnAnswers:
    @pytest.mark.parametrize(
        ("path", "answer"),
        [
            ("/health/live", {"status": "ok"}),
            ("/health/ready", {"status": "ok", "missing": {}}),
            ("/version", {"buildNumber": "7", "buildDate": "2026-11-21", "buildBranch": "main"}),
        ],
    )
    async def test_the_edge_answers_itself(
        self, client: httpx.AsyncClient, seen: Callable[[], int], path: str, answer: dict[str, object]
    ) -> None:
        before = seen()
        response = await client.get(path)
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"
        assert response.json() == answer
        assert seen() == before


class TestAccessLog:
    async def test_is_json_without_queries_and_secrets(self, edge: Nginx, client: httpx.AsyncClient) -> None:
        headers = {
            "MLP-API-KEY": "secret-in-header",
            "Authorization": "Bearer secret-in-bearer",
            "Cookie": "SESSION_ID=secret-in-cookie",
            "Referer": "http://a/?token=secret-in-referrer",
            "Z-requestId": "find-me",
            "User-Agent": 'quote"d',
        }
        await client.get("/api/mlpcore/logged?token=secret-in-query", headers=headers)

        async def line() -> str:
            return next((line for line in edge.log.splitlines() if "find-me" in line), "")

        entry = json.loads(await eventually(line))
        assert entry["path"] == "/api/mlpcore/logged"
        assert (entry["method"], entry["status"], entry["userAgent"]) == ("GET", 200, 'quote"d')
        assert len(entry["traceId"]) == 32
        assert "secret" not in edge.log

"""Unmodified programs of the S3 protocol: the Python client and the command line client of its authors."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import boto3
import httpx
from botocore.config import Config
from botocore.exceptions import ClientError

_Result = TypeVar("_Result")
# Not the loop's own threads: the server, in this process, needs some of them to answer.
_THREADS = ThreadPoolExecutor(16, thread_name_prefix="s3-program")
_REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Keys:
    """What an account gets to reach its bucket."""

    url: str
    access_key: str
    secret_key: str
    bucket: str

    @classmethod
    async def of(cls, http: httpx.AsyncClient, account: str, headers: dict[str, str], url: str) -> "Keys":
        answer = await http.get(f"/api/mlpcore/account/{account}/s3", headers=headers)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        return cls(url, found["accessKey"], found["secretKey"], found["bucketName"])

    def client(self, **settings: object) -> Any:
        """Returns a client. It blocks: call it in a thread."""
        config = Config(retries={"max_attempts": 1}, connect_timeout=10, read_timeout=60, **settings)  # type: ignore[arg-type]
        return boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            region_name=_REGION,
            config=config,
        )

    async def aws(self, *arguments: str) -> str:
        """Runs the command line client. Returns what it prints; fails with its errors."""
        environment = {
            "PATH": os.environ["PATH"], "AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_DEFAULT_REGION": _REGION, "AWS_ENDPOINT_URL": self.url, "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }  # fmt: skip
        program = Path(sys.executable).parent / "aws"
        done = await aside(
            lambda: subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=False)
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout


async def aside(work: Callable[[], _Result]) -> _Result:
    """Runs what blocks in a thread: the server is in this one."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work)


async def refused(work: Callable[[], object]) -> str:
    """Returns the code with which the service refuses."""
    try:
        await aside(work)
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    raise AssertionError("it was not refused")

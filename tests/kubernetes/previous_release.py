"""Builds `mlplace/previous`, an image with the code of the previous release for each of the four services.

`python -m tests.kubernetes.previous_release` needs the image `mlplace/tools` of MLP_VERSION, whose dependencies it uses.
The chart chooses the service by the variable MODULE.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.rollback.previous_release import extract, previous_release

IMAGE = "mlplace/previous"
_CODE = "/opt/previous"
_DOCKERFILE = """\
FROM mlplace/tools:{version}
COPY code {code}
USER root
RUN python -m compileall -q --invalidation-mode unchecked-hash {code}
USER 10001:10001
ENV PYTHONPATH={path}
"""


def main() -> None:
    version = os.environ["MLP_VERSION"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = folder / "code"
        path = ":".join(f"{_CODE}/{package.relative_to(code)}" for package in extract(previous_release(), code))
        (folder / "Dockerfile").write_text(_DOCKERFILE.format(version=version, code=_CODE, path=path))
        subprocess.run(["docker", "build", "--quiet", "--tag", f"{IMAGE}:{version}", folder], check=True)


if __name__ == "__main__":
    main()

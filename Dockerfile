# Builds every image of the platform; docker-compose.yml sets the arguments.
#   NAME     name of the list in requirements/images
#   MEMBERS  folders of the packages to install
#   MODULE   module that `serve` runs
ARG PYTHON=3.12

# Build tools: the same for all images, none of them in the result.
FROM python:${PYTHON}-slim AS tools
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends binutils >/dev/null \
    && rm -rf /var/lib/apt/lists/* \
    && python -m venv --without-pip /opt/venv
COPY requirements/build.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --quiet --require-hashes --only-binary :all: -r requirements/build.txt

# Dependencies: a layer that changes only with the requirements. Debug symbols and tests are removed from libraries;
# those in *.libs are not stripped, because stripping breaks their alignment.
FROM tools AS dependencies
ARG NAME
COPY requirements/images/${NAME}.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --quiet --require-hashes --no-deps --no-build-isolation -r requirements/${NAME}.txt -w wheels \
    && pip --python /opt/venv/bin/python install --quiet --no-index --no-deps --no-compile wheels/*.whl \
    && rm -r wheels \
    && find /opt/venv -type d -name tests -prune -exec rm -r {} + \
    && find /opt/venv -name '*.so' -not -path '*.libs/*' -exec strip --strip-unneeded {} + \
    && python -m compileall -q --invalidation-mode unchecked-hash /opt/venv/lib

# Packages of this repository: a small layer that changes with each commit.
FROM tools AS members
COPY libs libs
COPY services services
COPY examples examples
ARG MEMBERS
RUN for member in ${MEMBERS}; do pip wheel --quiet --no-deps --no-build-isolation --no-index "./$member" -w wheels; done \
    && pip --python /opt/venv/bin/python install --quiet --no-index --no-deps --no-compile --prefix /opt/members wheels/*.whl \
    && python -m compileall -q --invalidation-mode unchecked-hash /opt/members/lib

FROM python:${PYTHON}-slim
RUN groupadd --gid 10001 mlplace \
    && useradd --uid 10001 --gid mlplace --no-create-home --home-dir /var/lib/mlplace --shell /usr/sbin/nologin mlplace \
    && install -d -o mlplace -g mlplace -m 0750 /var/lib/mlplace \
    && rm -rf /usr/local/bin/pip* /usr/local/lib/python3*/site-packages/pip* /usr/local/lib/python3*/ensurepip
COPY --from=dependencies /opt/venv /opt/venv
COPY --from=members /opt/members /opt/venv
ARG MODULE
# Child processes of the agent run other programs, so gRPC needs no fork support.
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 GRPC_ENABLE_FORK_SUPPORT=0 MODULE=${MODULE}
USER 10001:10001
WORKDIR /var/lib/mlplace
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=5 CMD ["/opt/venv/bin/python", "-S", "-E", "-c", \
    "import socket; s = socket.create_connection(('127.0.0.1', 8080), 9); s.sendall(b'GET /health/ready HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n'); raise SystemExit(b' 200 ' not in s.recv(32))"]
CMD ["sh", "-c", "exec python -m \"$MODULE\" serve"]

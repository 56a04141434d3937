# Every image of the platform: one recipe, told by its arguments what goes in. `docker-compose.yml` has the arguments.
#   NAME     which list of requirements/images, with hashes
#   MEMBERS  the packages of this repository, as folders
#   MODULE   what `serve` runs
ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
RUN python -m venv --without-pip /opt/venv
COPY requirements/build.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --quiet --require-hashes --only-binary :all: -r requirements/build.txt
ARG NAME
COPY requirements/images/${NAME}.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --quiet --require-hashes --no-deps --no-build-isolation -r requirements/${NAME}.txt -w wheels \
    && pip --python /opt/venv/bin/python install --quiet --no-index --no-deps wheels/*.whl \
    && rm -r wheels
COPY libs libs
COPY services services
COPY examples examples
ARG MEMBERS
RUN for member in ${MEMBERS}; do pip wheel --quiet --no-deps --no-build-isolation --no-index "./$member" -w wheels; done \
    && pip --python /opt/venv/bin/python install --quiet --no-index --no-deps wheels/*.whl

FROM python:${PYTHON}-slim
RUN groupadd --gid 10001 mlplace \
    && useradd --uid 10001 --gid mlplace --no-create-home --home-dir /var/lib/mlplace --shell /usr/sbin/nologin mlplace \
    && install -d -o mlplace -g mlplace -m 0750 /var/lib/mlplace
COPY --from=build /opt/venv /opt/venv
ARG MODULE
# Child processes of the agent are programs of their own: gRPC need not survive a fork.
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 GRPC_ENABLE_FORK_SUPPORT=0 MODULE=${MODULE}
USER 10001:10001
WORKDIR /var/lib/mlplace
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=3s --timeout=5s --start-period=60s --retries=3 CMD ["/opt/venv/bin/python", "-S", "-c", \
    "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8080, timeout=4); c.request('GET', '/health/ready'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["sh", "-c", "exec python -m \"$MODULE\" serve"]

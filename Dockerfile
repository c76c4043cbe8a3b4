# fdlint for Python and Go: docker build -t fdlint . && docker run --rm -v "$PWD:/src:ro" fdlint
FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285 AS build
ARG EXTRAS=go,fast
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY fdlint fdlint
COPY rules rules
RUN python -m venv /opt/fdlint \
    && /opt/fdlint/bin/pip install --no-cache-dir --disable-pip-version-check ".[$EXTRAS]" \
    && /opt/fdlint/bin/pip uninstall --yes pip

FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285
# git is for --changed-since, and for files that git tracks although .gitignore names them.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin fdlint
COPY --from=build /opt/fdlint /opt/fdlint
# The cache is in the home directory, and /tmp may be all that can be written to.
ENV PATH=/opt/fdlint/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /src
ENTRYPOINT ["fdlint"]
CMD ["scan"]

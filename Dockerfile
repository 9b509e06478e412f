# The service and the command line of Spyglass as a user without rights: see docs/container.md.
FROM python:3.13-slim

# The versions of Debian's packages are those of the release that the image is made from.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium tesseract-ocr-eng \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /data spyglass \
    && install --directory --owner spyglass --mode 700 /data && mkdir /files

WORKDIR /src
COPY requirements.txt requirements-dev.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY setup.cfg pyproject.toml README.md LICENSE ./
COPY src src
# A service of a cluster: --build-arg EXTRAS=serve,cluster,otel
ARG EXTRAS=serve,mcp,browser,ocr,sign
RUN pip install --no-cache-dir --constraint requirements-dev.txt ".[$EXTRAS]"

USER 10001
WORKDIR /data
ENV HOME=/data SPYGLASS_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["spyglass"]
CMD ["serve", "--host", "0.0.0.0", "--files", "/files"]

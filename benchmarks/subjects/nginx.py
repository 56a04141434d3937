"""nginx as a reverse proxy for the echo server: one worker process, keep-alive on both sides."""

import shutil
from pathlib import Path

_CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000000;
  upstream echo {{ server 127.0.0.1:{upstream}; keepalive 128; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://echo; proxy_http_version 1.1; proxy_set_header Connection ""; {more} }}
  }}
}}
"""

STREAMING = "proxy_buffering off;"
"""Directives for a location with streamed answers."""


def find() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def command(binary: str, folder: Path, *, port: int, upstream: int, more: str = "") -> list[str]:
    """`more` is added to the location."""
    folder.mkdir(exist_ok=True)
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIG.format(folder=folder, port=port, upstream=upstream, more=more))
    return [binary, "-p", str(folder), "-c", str(configuration), "-e", str(folder / "error.log")]

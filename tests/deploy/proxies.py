"""nginx and Caddy with the configuration files of `deploy/`, on free ports and with a certificate of the test.

Only the texts that `_prepare_nginx` and `_prepare_caddy` name are replaced; a test may replace more.
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.deploy.certificate import write_certificate
from tests.support.ports import free_port
from tests.support.required_programs import ipv6_loopback, proxy

HOST: Final = "play.example.org"
PROXY_NAMES: Final = ("nginx", "caddy")
EXAMPLES: Final = Path(__file__).parents[2] / "deploy"
EXAMPLE_PORTS: Final = (8000, 8001)
"""The ports of the web processes in the examples."""
SOURCE_HEADER: Final = "X-Source-Of-Test"
"""nginx takes the address of the client from this header, so that tests can be many clients."""
_START_SECONDS: Final = 240.0
_NGINX_FILE: Final = """
user root;
worker_processes auto;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error-of-all.log;
events {{}}
http {{
    access_log {folder}/access-of-all.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    set_real_ip_from 127.0.0.0/8;
    real_ip_header {source_header};
    include {folder}/example;
}}
"""
_CADDY_OPTIONS: Final = """{{
	admin off
	default_bind 127.0.0.1 [::1]
	http_port {http_port}
	https_port {port}
	storage file_system {folder}/storage
"""


@dataclass(frozen=True)
class RunningProxy:
    """A proxy that answers on this port of 127.0.0.1 and ::1, and writes all its logs to this folder."""

    name: str
    port: int
    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def logs(self) -> str:
        """Everything that it has written to its logs and its output."""
        return "\n".join(
            path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*.log"))
        )


@contextmanager
def running_proxy(
    name: str, folder: Path, web_ports: Sequence[int], changes: Mapping[str, str] | None = None
) -> Iterator[RunningProxy]:
    """Yield nginx or Caddy in front of web processes on these ports, with further texts of the example replaced."""
    ipv6_loopback()
    folder.mkdir()
    running = RunningProxy(name, free_port(), folder)
    write_certificate(folder, HOST)
    prepare = _prepare_nginx if name == "nginx" else _prepare_caddy
    command = prepare(running, {**_web_port_changes(web_ports), **(changes or {})})
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    with (folder / "output.log").open("wb") as output:
        process = subprocess.Popen(command, env=environ, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_for(process, running)
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_START_SECONDS)


def _changed_example(name: str, changes: Mapping[str, str]) -> str:
    """Return the example with these texts replaced, each of which it must contain."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{name} does not contain {old!r}"
        text = text.replace(old, new)
    return text


def _prepare_nginx(running: RunningProxy, more_changes: Mapping[str, str]) -> list[str]:
    http_port = free_port()
    changes = {
        "listen 80;": f"listen 127.0.0.1:{http_port};",
        "listen [::]:80;": f"listen [::1]:{http_port};",
        "listen 443 ": f"listen 127.0.0.1:{running.port} ",
        "listen [::]:443 ": f"listen [::1]:{running.port} ",
        f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(running.certificate),
        f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(running.folder / "key.pem"),
        "/var/log/nginx": str(running.folder),
        **more_changes,
    }
    example = _changed_example("nginx.conf", changes)
    (running.folder / "example").write_text(example, encoding="utf-8")
    main = _NGINX_FILE.format(folder=running.folder, source_header=SOURCE_HEADER)
    (running.folder / "main").write_text(main, encoding="utf-8")
    return [proxy("nginx"), "-p", str(running.folder), "-c", str(running.folder / "main")]


def _prepare_caddy(running: RunningProxy, more_changes: Mapping[str, str]) -> list[str]:
    options = _CADDY_OPTIONS.format(folder=running.folder, port=running.port, http_port=free_port())
    changes = {
        "\n{\n": f"\n{options}",
        f"\n{HOST} {{\n": f"\n{HOST} {{\n\ttls {running.certificate} {running.folder}/key.pem\n",
        **more_changes,
    }
    configuration = running.folder / "Caddyfile"
    configuration.write_text(_changed_example("Caddyfile", changes), encoding="utf-8")
    return [proxy("caddy"), "run", "--config", str(configuration), "--adapter", "caddyfile"]


def _web_port_changes(web_ports: Sequence[int]) -> dict[str, str]:
    return {
        f"127.0.0.1:{example}": f"127.0.0.1:{port}"
        for example, port in zip(EXAMPLE_PORTS, web_ports, strict=True)
    }


def _wait_for(process: subprocess.Popen[bytes], running: RunningProxy) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _is_listening(running.port):
        assert process.poll() is None, running.logs
        assert time.monotonic() < deadline, running.logs
        time.sleep(0.05)


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

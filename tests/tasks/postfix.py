"""A Postfix for one test: a relay as operators run it, which forwards everything to a sink."""

import grp
import os
import pwd
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final

from tests.support.ports import free_port
from tests.support.postgres import memory_folder
from tests.support.required_programs import postfix

_TIMEOUT_SECONDS: Final = 240.0
_MAIN_CONFIG: Final = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = {commands}
daemon_directory = {daemons}
mail_owner = postfix
setgid_group = postdrop
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = relay.lodepost.test
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
relayhost = [127.0.0.1]:{onward}
transport_maps = inline:{{ {transports} }}
smtp_dns_support_level = disabled
smtp_tls_security_level = none
smtpd_tls_security_level = none
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
"""
_MASTER_CONFIG: Final = """
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


class PostfixRelay:
    """A Postfix that may be stopped and started again; it keeps its queue."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self._folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                self._run_command("start-fg"), stdout=output, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while not self._is_answering():
            assert self._process.poll() is None, (self._folder / "output").read_text()
            assert time.monotonic() < deadline, "Postfix does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            # Its master runs in its own process group, which only its own command reaches.
            subprocess.run(self._run_command("stop"), stderr=subprocess.DEVNULL, check=False)
            self._process.wait(_TIMEOUT_SECONDS)
            self._process = None

    def _run_command(self, command: str) -> list[str]:
        return [postfix(), "-c", str(self._folder / "etc"), command]

    def _is_answering(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def running_relay(
    sink_port: int, *, lmtp_ports: Mapping[str, int] = MappingProxyType({})
) -> Iterator[PostfixRelay]:
    """Yield a relay that keeps all its files in a temporary folder.

    It hands emails to these domains over by LMTP, and forwards all others to the sink.
    """
    program = postfix()
    with (
        TemporaryDirectory(prefix="lodepost-relay-") as fallback,
        # Postfix waits until each email is on the disk, which takes long on a busy one.
        memory_folder(Path(fallback)) as folder,
    ):
        relay = PostfixRelay(folder, free_port())
        try:
            transports = (
                f"{{ {domain} = lmtp:inet:127.0.0.1:{port} }}"
                for domain, port in {"unused.invalid": 9, **lmtp_ports}.items()
            )
            _write_settings(
                folder,
                Path(program).parent,
                port=relay.port,
                sink_port=sink_port,
                transports=" ".join(transports),
            )
            relay.start()
            yield relay
        finally:
            relay.stop()


def _write_settings(
    folder: Path, commands_folder: Path, *, port: int, sink_port: int, transports: str
) -> None:
    # Its daemons run as another user.
    folder.chmod(0o755)
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir()
    postfix_user = pwd.getpwnam("postfix")
    os.chown(folder / "data", postfix_user.pw_uid, grp.getgrnam("postfix").gr_gid)
    daemon_folder = subprocess.check_output(
        [str(commands_folder / "postconf"), "-dh", "daemon_directory"]
    )
    main = _MAIN_CONFIG.format(
        folder=folder,
        commands=commands_folder,
        daemons=daemon_folder.decode().strip(),
        onward=sink_port,
        transports=transports,
    )
    (folder / "etc" / "main.cf").write_text(main, encoding="ascii")
    (folder / "etc" / "master.cf").write_text(_MASTER_CONFIG.format(port=port), encoding="ascii")

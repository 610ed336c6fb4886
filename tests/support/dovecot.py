"""A Dovecot for one test: mailboxes as providers run them, filled by LMTP and read by IMAP."""

import grp
import os
import pwd
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tests.support.ports import free_port
from tests.support.postgres import memory_folder
from tests.support.required_programs import dovecot

PASSWORD: Final = "open-sesame"
_TIMEOUT_SECONDS: Final = 240.0
_CONFIG: Final = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
recipient_delimiter = +
mail_location = maildir:{folder}/mail/%n
first_valid_uid = 1
auth_failure_delay = 0
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
passdb {{
  driver = static
  args = password={password} allow_all_users=yes
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%n allow_all_users=yes
}}
service imap-login {{
  inet_listener imap {{
    address = 127.0.0.1
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp_port}
  }}
}}
"""


class Dovecot(NamedTuple):
    """A running Dovecot, in which every address has a mailbox."""

    imap_port: int
    lmtp_port: int

    def url(self, user: str, password: str = PASSWORD) -> str:
        """Return the IMAP_URL of someone's mailbox."""
        return f"imap://{user}:{password}@127.0.0.1:{self.imap_port}/INBOX"


@contextmanager
def running_dovecot() -> Iterator[Dovecot]:
    """Yield a Dovecot that keeps all its files in a temporary folder."""
    program = dovecot()
    with (
        TemporaryDirectory(prefix="lodepost-dovecot-") as fallback,
        memory_folder(Path(fallback)) as folder,
    ):
        server = Dovecot(free_port(), free_port())
        _write_settings(folder, server)
        command = [program, "-F", "-c", str(folder / "dovecot.conf")]
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            _await_ports(process, folder, server)
            yield server
        finally:
            process.terminate()
            process.wait(_TIMEOUT_SECONDS)


def _write_settings(folder: Path, server: Dovecot) -> None:
    # Its processes run as other users.
    folder.chmod(0o755)
    owner = pwd.getpwnam("dovecot")
    (folder / "mail").mkdir()
    os.chown(folder / "mail", owner.pw_uid, grp.getgrnam("dovecot").gr_gid)
    config = _CONFIG.format(
        folder=folder,
        password=PASSWORD,
        uid=owner.pw_uid,
        gid=owner.pw_gid,
        imap_port=server.imap_port,
        lmtp_port=server.lmtp_port,
    )
    (folder / "dovecot.conf").write_text(config, encoding="ascii")


def _await_ports(process: subprocess.Popen[bytes], folder: Path, server: Dovecot) -> None:
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not all(map(_is_answering, server)):
        assert process.poll() is None, (folder / "output").read_text()
        assert time.monotonic() < deadline, "Dovecot does not answer"
        time.sleep(0.05)


def _is_answering(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0

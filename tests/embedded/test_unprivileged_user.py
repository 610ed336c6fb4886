import os
from pathlib import Path

import psutil
import pytest

from tests.support.embedded_servers import insert_word, running_server_in, stored_words
from webapp.embedded.programs import _first_existing_user
from webapp.kernel.operator_errors import EmbeddedError

requires_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root starts Postgres as another user"
)


def test_missing_unprivileged_user_is_reported() -> None:
    with pytest.raises(EmbeddedError, match="useradd --system lodepost"):
        _first_existing_user(("no-such-user",))


@requires_root
def test_root_runs_the_server_as_another_user_in_a_private_folder(tmp_path: Path) -> None:
    closed_folder = tmp_path / "closed"
    closed_folder.mkdir(mode=0o700)
    with running_server_in(closed_folder / "data", creates_cluster=True) as server:
        insert_word(server, "gold")
        assert psutil.Process(server.process.pid).uids().real != 0
    with running_server_in(closed_folder / "data") as server:
        assert stored_words(server) == ["gold"]

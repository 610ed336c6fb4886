import os
from pathlib import Path

import psutil
import pytest

from tests.support.embedded_servers import (
    running_server_in,
    store_word,
    stored_words,
)
from webapp.embedded.unprivileged_user import _first_existing
from webapp.operator_errors import EmbeddedError

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts Postgres as another user")


def test_missing_unprivileged_user_is_reported() -> None:
    with pytest.raises(EmbeddedError, match="useradd --system lodepost"):
        _first_existing(("no-such-user",))


@as_root
def test_root_runs_the_server_as_another_user_in_a_private_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with running_server_in(closed / "data") as server:
        store_word(server, "gold")
        assert psutil.Process(server.process.pid).uids().real != 0
    with running_server_in(closed / "data") as server:
        assert stored_words(server) == ["gold"]

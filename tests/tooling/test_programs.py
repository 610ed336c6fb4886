"""Installing the programs that tests need."""

import subprocess
from pathlib import Path

from tests.support.programs import services_kept_stopped


def test_services_of_installed_programs_are_not_started(tmp_path: Path) -> None:
    policy_file = tmp_path / "policy-rc.d"
    with services_kept_stopped(policy_file):
        # 101 tells Debian's packages that an action is not allowed.
        assert subprocess.call([str(policy_file), "nginx", "start"]) == 101
    assert not policy_file.exists()

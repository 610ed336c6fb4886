"""Secret settings can be read from files; a file that cannot be used is named, and never quoted."""

from pathlib import Path

import pytest

from webapp.kernel.config import settings_from
from webapp.kernel.operator_errors import Misconfigured

KEY = "0123456789abcdef0123456789abcdef"


def problems_of(environ: dict[str, str]) -> list[str]:
    with pytest.raises(Misconfigured) as error_info:
        settings_from(environ)
    return error_info.value.problems


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    return path


def test_secret_is_read_from_a_file_without_its_line_break(key_file: Path) -> None:
    assert settings_from({"SECRET_KEY_FILE": str(key_file)}).secret_key == KEY


def test_file_counts_where_a_secret_is_required(key_file: Path) -> None:
    environ = {"DATABASE_URL": "postgres://lode@db/lode", "SECRET_KEY_FILE": str(key_file)}
    assert settings_from(environ).secret_key == KEY


def test_value_in_a_file_is_checked_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "relay"
    path.write_text("http://user:hush@relay")
    (problem,) = problems_of({"SMTP_URL_FILE": str(path)})
    assert problem.startswith("SMTP_URL must look like")
    assert "hush" not in problem


def test_value_and_file_together_are_rejected(key_file: Path) -> None:
    assert problems_of({"SECRET_KEY": KEY, "SECRET_KEY_FILE": str(key_file)}) == [
        "SECRET_KEY and SECRET_KEY_FILE are both set; use one of them."
    ]


@pytest.mark.parametrize(
    "content, problem",
    [
        (None, "No such file or directory."),
        (b" \n", "which is empty."),
        (b"\xff" * 40, "which is not UTF-8 text."),
        (b"x" * 5000, "which has more than 4096 bytes."),
    ],
)
def test_file_that_holds_no_secret_is_the_only_problem(
    content: bytes | None, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    environ = {"DATABASE_URL": "postgres://lode@db/lode", "SECRET_KEY_FILE": str(path)}
    (found_problem,) = problems_of(environ)
    assert found_problem.startswith(f"SECRET_KEY_FILE names {str(path)!r}")
    assert found_problem.endswith(problem)


def test_setting_that_is_not_secret_has_no_file(key_file: Path) -> None:
    assert settings_from({"SITE_NAME_FILE": str(key_file)}).site_defaults.site_name == "Lodepost"

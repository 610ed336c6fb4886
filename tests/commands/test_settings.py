"""`lodepost settings` as an operator runs it."""

import pytest

from webapp.cli import main


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "SMTP_URL", "BASE_URL", "LISTEN", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("SECRET_KEY", "k" * 32)


def set_passkey_requirement(value: str) -> int:
    return main(["settings", "set", "moderators_need_passkey", value, "--reason", "locked out"])


def test_operator_can_stop_demanding_passkeys_of_moderators(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for value in ("on", "off"):
        assert set_passkey_requirement(value) == 0
        assert main(["settings", "list"]) == 0
        assert f"moderators_need_passkey: {value}" in capsys.readouterr().out


def test_setting_accepts_only_on_and_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert set_passkey_requirement("perhaps") == 2
    assert "Please enter on or off." in capsys.readouterr().err

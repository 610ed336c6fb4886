"""The web processes are restarted one after another, as the README says, while people use the site through both proxies."""

from tests.deploy.people import Traffic, playing, reading, requesting, signing_in
from tests.deploy.proxies import HOST, RunningProxy
from tests.deploy.web_processes import SECRET_KEY, WebProcesses, rolling_restart_steps
from tests.support.redis import wait_until
from webapp.app import create_app
from webapp.kernel.config import settings_from
from webapp.kernel.tx import Database

_MORE_TRAFFIC = {"POST": 8, "turn": 2}


def test_no_request_fails_while_the_web_processes_are_restarted(
    web_processes: WebProcesses,
    proxies: list[RunningProxy],
    database: Database,
    database_url: str,
) -> None:
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": SECRET_KEY,
        "BASE_URL": f"https://{HOST}",
    }
    app = create_app(settings_from(environ), database=database)
    traffic = Traffic()
    activities = [
        activity
        for number, proxy in enumerate(proxies, 1)
        for activity in (
            playing(proxy, app, database, traffic, name=proxy.name, network=f"127.0.{number}"),
            signing_in(proxy, traffic),
            reading(proxy, traffic, source=f"127.0.0.{number}1"),
        )
    ]
    with requesting(activities, traffic):
        for step in rolling_restart_steps():
            web_processes.run_step(step)
            # However slow the machine is, people use each process before the other is restarted.
            wait_for_more_traffic(traffic)
    assert traffic.failures == []


def wait_for_more_traffic(traffic: Traffic) -> None:
    """Wait until people have sent eight more forms, two of them turns, or a request has failed."""
    wanted_counts = {kind: traffic.counts[kind] + more for kind, more in _MORE_TRAFFIC.items()}
    wait_until(
        lambda: (
            bool(traffic.failures)
            or all(traffic.counts[kind] >= wanted for kind, wanted in wanted_counts.items())
        )
    )

from tests.support.web_fixtures import app, clock, site
from tests.support.worker_fixtures import composer, recording_transport, worker

__all__ = ["app", "clock", "composer", "recording_transport", "site", "worker"]

from tests.support.web_fixtures import app, clock, site
from tests.support.worker_fixtures import composer, recording, worker

__all__ = ["app", "clock", "composer", "recording", "site", "worker"]

from tests.support.web_fixtures import app, clock, nudged, site

__all__ = ["app", "clock", "nudged", "site"]

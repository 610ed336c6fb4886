from tests.support.web_fixtures import app, clock, database, nudged, site

__all__ = ["app", "clock", "database", "nudged", "site"]

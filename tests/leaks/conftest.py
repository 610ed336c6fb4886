from tests.support.web_fixtures import app, clock, database, site

__all__ = ["app", "clock", "database", "site"]

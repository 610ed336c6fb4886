from tests.support.web_fixtures import app, clock, site

__all__ = ["app", "clock", "site"]

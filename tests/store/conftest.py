from tests.services.conftest import database, guests, slug

__all__ = ["database", "guests", "slug"]

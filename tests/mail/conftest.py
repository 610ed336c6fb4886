from tests.support.smtp_sink import sink

__all__ = ["sink"]

"""The paths that monitoring requests."""


def health() -> str:
    return "/healthz"


def readiness_probe() -> str:
    return "/readyz"


def email_reports() -> str:
    """Return where a mail provider reports what became of emails (POST)."""
    return "/email-reports"


def metrics() -> str:
    return "/metrics"

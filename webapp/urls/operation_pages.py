"""The paths that monitoring requests."""


def health() -> str:
    return "/healthz"


def readiness_probe() -> str:
    return "/readyz"


def metrics() -> str:
    return "/metrics"

"""The paths that monitoring requests.

Its own module because each subject has one.
"""


def health() -> str:
    return "/healthz"


def readiness_probe() -> str:
    return "/readyz"


def metrics() -> str:
    return "/metrics"

from tests.support.worker_fixtures import composer, recording_transport, worker

__all__ = ["composer", "recording_transport", "worker"]

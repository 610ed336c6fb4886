"""Sender processes and an SMTP sink in a process of its own, for measuring deliveries."""

import multiprocessing
import smtplib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection

from bench.shared.local_services import settings_for
from tasks import delivery
from tasks.context import worker_context_for
from tests.support.smtp_sink import running_sink
from webapp.config import Settings
from webapp.mail.transport import RenderedEmail

SENDER_COUNT = 2


@contextmanager
def sender_processes(
    url: str, port: int, emails: Sequence[RenderedEmail]
) -> Iterator[list[Connection]]:
    with ExitStack() as stack:
        pipes = []
        for number in range(SENDER_COUNT):
            parent_end, child_end = multiprocessing.Pipe()
            sender_emails = emails[number::SENDER_COUNT]
            stack.enter_context(running_process(serve_sender, child_end, url, port, sender_emails))
            parent_end.recv()
            pipes.append(parent_end)
        yield pipes
        for pipe in pipes:
            pipe.send("end")


def seconds_to_send(senders: Sequence[Connection], sender_command: str) -> float:
    started_at = time.perf_counter()
    for sender in senders:
        sender.send(sender_command)
    for sender in senders:
        sender.recv()
    return time.perf_counter() - started_at


@contextmanager
def sink_process() -> Iterator[int]:
    parent_end, child_end = multiprocessing.Pipe()
    with running_process(serve_sink, child_end):
        yield parent_end.recv()
        parent_end.send("end")


def settings_with_relay(url: str, port: int) -> Settings:
    """Return settings with a relay at this port."""
    relay = f"smtp://127.0.0.1:{port}"
    return settings_for(url, SMTP_URL=relay, BASE_URL="https://lodepost.example.org")


def serve_sender(pipe: Connection, url: str, port: int, emails: Sequence[RenderedEmail]) -> None:
    """Run one sender: a worker context, and a bare connection as the anchor."""
    context = worker_context_for(
        settings_with_relay(url, port), is_stopping=lambda: False, nudge=lambda _: None
    )
    with smtplib.SMTP("127.0.0.1", port) as smtp_connection:
        pipe.send("ready")
        while (command := pipe.recv()) != "end":
            if command == "deliver":
                delivery.deliver(context)
            else:
                send_bare(smtp_connection, emails)
            pipe.send("done")
    context.close()


def send_bare(connection: smtplib.SMTP, emails: Sequence[RenderedEmail]) -> None:
    for email in emails:
        connection.sendmail(email.senders[-1], email.recipient, email.message)


def serve_sink(pipe: Connection) -> None:
    with running_sink() as sink:
        pipe.send(sink.port)
        pipe.recv()


@contextmanager
def running_process(target: object, *arguments: object) -> Iterator[None]:
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments)  # type: ignore[arg-type]
    process.start()
    try:
        yield
    finally:
        process.join(30)
        process.kill()

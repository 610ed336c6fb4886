"""Sender processes and an SMTP sink in a process of its own, for measuring deliveries."""

import multiprocessing
import os
import resource
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection

from bench.shared.local_services import settings_for
from tasks import delivery
from tasks.context import worker_context_for
from tests.support.smtp_sink import running_sink
from webapp.kernel.config import Settings
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


def settings_with_relay(url: str, port: int, **environ: str) -> Settings:
    """Return settings with a relay at this port."""
    relay = f"smtp://127.0.0.1:{port}"
    return settings_for(url, SMTP_URL=relay, BASE_URL="https://lodepost.example.org", **environ)


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


@contextmanager
def owed_email_sender(url: str) -> Iterator[Callable[[], float]]:
    """Run a sender in a process of its own; yield what delivers all that is due and returns the peak of its memory in MiB."""
    parent_end, child_end = multiprocessing.Pipe()

    def deliver() -> float:
        parent_end.send("deliver")
        return float(parent_end.recv())

    with running_process(serve_owed_email_sender, child_end, url):
        yield deliver
        parent_end.send("end")


def serve_owed_email_sender(pipe: Connection, url: str) -> None:
    """Run a sender whose emails are accepted at once."""
    context = worker_context_for(
        settings_with_relay(url, 9), is_stopping=lambda: False, nudge=lambda _: None
    )
    context = replace(context, transport=AcceptingTransport())
    while pipe.recv() != "end":
        delivery.deliver(context)
        pipe.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    context.close()


class AcceptingTransport:
    """A transport that accepts every email, counts it and keeps none."""

    accepted_count = 0

    def send(self, _: RenderedEmail) -> None:
        """Accept an email."""
        self.accepted_count += 1

    def close(self) -> None:
        """Do nothing: there is no connection."""


@contextmanager
def lodepost_process(arguments: Sequence[str], environ: dict[str, str]) -> Iterator[None]:
    """Run a command of Lodepost, such as a worker, with this environment."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "webapp.cli", *arguments],
        env={**os.environ, **environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


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

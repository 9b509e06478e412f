"""Notifications between processes of several machines, by PostgreSQL's LISTEN and NOTIFY."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg

CHANNEL: Final = "spyglass"

TELL: Final = f"SELECT pg_notify('{CHANNEL}', %s)"  # notifies the listeners of a topic on commit
TURN: Final = 0.5  # seconds between checks whether the thread has to end, and before it reconnects


class Listener:
    """Receives notifications of topics in a thread with its own connection.

    Notifications sent while there is no connection are lost, so users must also poll; a reconnection sets all events.
    """

    def __init__(self, url: str, **options: Any) -> None:
        self._url = url
        self._options = options
        self._waiting: defaultdict[str, list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = defaultdict(list)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="spyglass-listener", daemon=True)
        self._thread.start()

    @contextmanager
    def listening(self, topic: str) -> Iterator[asyncio.Event]:
        """Yield an event of this event loop that is set at each notification of a topic."""
        waiting = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._waiting[topic].append(waiting)
        try:
            yield waiting[1]
        finally:
            with self._lock:
                self._waiting[topic].remove(waiting)
                if not self._waiting[topic]:
                    del self._waiting[topic]

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    def _listen(self) -> None:
        while not self._closed.is_set():
            with suppress(psycopg.Error), psycopg.connect(self._url, **self._options) as db:
                db.execute(f"LISTEN {CHANNEL}")
                with self._lock:
                    topics = list(self._waiting)
                self._wake(*topics)
                while not self._closed.is_set():
                    for notification in db.notifies(timeout=TURN):
                        self._wake(notification.payload)
            self._closed.wait(TURN)

    def _wake(self, *topics: str) -> None:
        with self._lock:
            woken = [waiting for topic in topics for waiting in self._waiting.get(topic, ())]
        for loop, event in woken:
            with suppress(RuntimeError):  # its loop has just been closed
                loop.call_soon_threadsafe(event.set)

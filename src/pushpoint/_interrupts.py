"""Interrupts during a run: noted when they come, acted upon between two ticks, so that what is recorded is whole."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from types import FrameType
from typing import Any

PATIENCE = 0.5  # [s] of wall time for which code of users may go on after an interrupt
INSISTS = 2.0  # [s] after an interrupt, from which on another one ends everything at once


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""

    signal = int(signal.SIGTERM)


def raise_terminated(_number: int, _frame: FrameType | None) -> None:
    """A handler of SIGTERM."""
    raise Terminated


def number_of(stop: BaseException) -> int:
    """Of the signal behind an interrupt."""
    return int(getattr(stop, "signal", signal.SIGINT))


class CodeOfUsers:
    """Code that may be stopped at any place, as it may never return."""

    entered = False

    def __enter__(self) -> None:
        self.entered = True

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.entered = kind is not None  # the error passes through more of it, perhaps


class Stop:
    """Whether a run was asked to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.in_code_of_users = CodeOfUsers()
        self._since = 0.0

    def note(self, number: int, _frame: FrameType | None) -> None:
        """A handler of signals."""
        now = time.monotonic()
        if self.signal is None:
            self.signal, self._since = number, now
            self._ask_again(PATIENCE)
        elif self.in_code_of_users.entered or now - self._since > INSISTS:
            self._raise()

    def _ask_again(self, after: float) -> None:
        """Where there are timers, and nobody else uses this one."""
        if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, self._overdue):
            signal.signal(signal.SIGALRM, self._overdue)
            signal.setitimer(signal.ITIMER_REAL, after)

    def _overdue(self, _number: int, _frame: FrameType | None) -> None:
        if self.in_code_of_users.entered:
            self._raise()
        self._ask_again(PATIENCE)

    def raise_if_asked(self) -> None:
        """Act upon what was noted."""
        if self.signal is not None:
            self._raise()

    def _raise(self) -> None:
        raise Terminated if self.signal == signal.SIGTERM else KeyboardInterrupt

    def end(self) -> None:
        """Leave no timer behind."""
        if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) == self._overdue:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def noted() -> Iterator[Stop]:
    """Note Ctrl-C and SIGTERM instead of acting at once. Handlers of others stay, and processes of a study may die."""
    stop, before = Stop(), {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    taken = {number: handler for number, handler in before.items() if _is_ours(handler)}
    for number in taken:
        signal.signal(number, stop.note)
    try:
        yield stop
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
        stop.end()


def _is_ours(handler: Any) -> bool:
    """Whether a handler does nothing but end what runs; that of a run around this one included."""
    if handler is signal.SIG_DFL:
        return parent_process() is None  # of SIGTERM: nothing would be left of the run
    return handler in (signal.default_int_handler, raise_terminated) or isinstance(
        getattr(handler, "__self__", None), Stop
    )


@contextmanager
def blocked() -> Iterator[None]:
    """Processes that are started meanwhile have Ctrl-C blocked for ever; here it arrives afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

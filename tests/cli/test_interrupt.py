"""Ctrl-C is heard while compiled code runs."""

import signal
import threading

import pytest

import partita
from partita._stopping import stop_flag
from partita.cli._interrupt import heard_interrupt


@pytest.fixture
def deaf():
    """Python does nothing at SIGINT, as in compiled code that has not returned."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_flag_is_set_by_the_signal_and_stays_so(deaf):
    with heard_interrupt() as interrupt:
        assert not interrupt.is_set()
        signal.raise_signal(signal.SIGINT)
        assert interrupt.is_set()
        assert interrupt.is_set()
    with heard_interrupt() as another:
        assert not another.is_set()


def test_kernels_are_told_without_a_step_of_python(deaf):
    with heard_interrupt() as interrupt, partita.limits(cancel=interrupt):
        flag, patience = stop_flag(), threading.Event()
        signal.raise_signal(signal.SIGINT)
        for _ in range(600):
            if not flag[0]:  # another thread sets it
                patience.wait(0.1)
        assert flag[0]


def test_what_listened_before_listens_again_and_an_old_flag_does_no_harm():
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with heard_interrupt() as interrupt:
        pass
    now = signal.set_wakeup_fd(before)
    assert now == before
    assert not interrupt.is_set()


def test_other_threads_get_no_signals_and_no_flag():
    found = []

    def work():
        with heard_interrupt() as interrupt:
            found.append(interrupt)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [None]


def test_a_fit_that_hears_of_it_first_is_an_interruption_too(call, labels, monkeypatch):
    from partita import LWGP
    from partita.exceptions import Cancelled

    def stop(*_, **__):
        raise Cancelled("told by the flag")

    monkeypatch.setattr(LWGP, "fit", stop)
    code, out, err = call("consensus", labels, "-o", "o.csv")
    assert (code, out, err.strip()) == (130, "", "partita: interrupted")

"""What the checks say to the test that started them: one JSON object a line.

`{"check": NAME}` is a check that held, with an "error" one that did not. `{"please": WHAT, ...}` asks for something
that no client can do; the answer is an empty line, once it is done.
"""

import json
import sys
import traceback
from contextlib import contextmanager


def _say(**message):
    print(json.dumps(message), flush=True)


def please(what, **details):
    """Asks the test for something, and waits until it is done."""
    _say(please=what, **details)
    if sys.stdin.readline() != "\n":
        raise RuntimeError(f"the test did not do this: {what}")


@contextmanager
def check(name):
    """Reports what happens inside under this name. A failure does not keep later checks from running."""
    try:
        yield
    except Exception:
        _say(check=name, error=traceback.format_exc())
    else:
        _say(check=name)


def same(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def raises(error, call, *args, **kwargs):
    try:
        answer = call(*args, **kwargs)
    except error:
        return
    raise AssertionError(f"expected {error.__name__}, got the answer {answer!r}")

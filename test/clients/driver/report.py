"""Messages to the test that started the checks: one JSON object per line.

`{"check": NAME}` is a check that succeeded; with an "error", one that failed. `{"request": ACTION, ...}` requests
something that no client can do. The test sends an empty line when it is done.
"""

import json
import sys
import traceback
from contextlib import contextmanager


def _send(**message):
    print(json.dumps(message), flush=True)


def request(action, **details):
    """Requests an action from the test, and waits until it is done."""
    _send(request=action, **details)
    if sys.stdin.readline() != "\n":
        raise RuntimeError(f"the test did not do this: {action}")


@contextmanager
def check(name):
    """Reports the result of its block under this name. Later checks run even if it fails."""
    try:
        yield
    except Exception:
        _send(check=name, error=traceback.format_exc())
    else:
        _send(check=name)


def same(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def raises(error, call, *args, **kwargs):
    try:
        answer = call(*args, **kwargs)
    except error:
        return
    raise AssertionError(f"expected {error.__name__}, got the answer {answer!r}")

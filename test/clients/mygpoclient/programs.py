"""The simple client of the library, and the programs that Debian ships with it."""

import os
import subprocess
import tempfile
from pathlib import Path

from account import PASSWORD, ROOT, Account
from mygpoclient import http
from report import check, raises, same

A, B = "http://example.org/a.xml", "http://example.org/b.xml"


def run():
    account = Account("programs")

    with check("the simple client puts and gets a list"):
        client = account.simple_client()
        raises(http.NotFound, client.get_subscriptions, "simple")
        for urls in ([A, B], [B], [A], [A, B], []):
            same(client.put_subscriptions("simple", urls), True)
            same(sorted(client.get_subscriptions("simple")), urls)

    with check("mygpo-bpsync puts its list, and gets changes of another client"):
        with tempfile.TemporaryDirectory() as folder:
            conf = Path(folder, "bp.conf")
            env = {
                "BPSYNC_BP_CONF": str(conf),
                "MYGPO_HOSTNAME": ROOT,
                "MYGPO_USERNAME": account.name,
                "MYGPO_PASSWORD": PASSWORD,
            }
            conf.write_text(f"{A}\n{B}\n")
            start("mygpo-bpsync", "put", "bash", env=env)
            same(account.client().get_subscriptions("bash"), [A, B])
            account.client().update_subscriptions("bash", [], [A])
            start("mygpo-bpsync", "get", "bash", env=env)
            same(conf.read_text(), f"{B}\n")

    with check("mygpo-simple-client puts and gets a list"):
        messages = start("mygpo-simple-client", "put", account.name, "typed", ROOT, typed=[A, B]).stderr
        same("Upload successful." in messages, True)
        same(start("mygpo-simple-client", "get", account.name, "typed", ROOT).stdout, f"{A}\n{B}\n")

    with check("mygpo-list-devices shows each device and its subscriptions"):
        account.client().update_device_settings("typed", "Typed", "desktop")
        account.client().put_subscriptions("typed", [A, B])
        shown = start("mygpo-list-devices", account.name, ROOT).stdout
        same(f"PodcastDevice('typed', 'Typed', 'desktop', 2)\n  {A}\n  {B}\n" in shown, True)


def start(program, *args, env=None, typed=()):
    """Runs a program without a terminal, so that it reads the password from the first line of its input."""
    done = subprocess.run(
        [f"/usr/bin/{program}", *args],
        input="\n".join([PASSWORD, *typed, ""]),
        env={**os.environ, **(env or {})},
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}: {done.stderr}")
    return done

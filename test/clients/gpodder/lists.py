"""Whole lists: "Replace list on server" and "Download subscriptions"."""

import os
import subprocess
import tempfile

from account import Account
from desktop import Desktop
from feeds import FeedServer
from report import check, same

# Only ASCII: gPodder encodes the password as Latin-1 when it downloads a list, and as UTF-8 everywhere else.
PASSWORD = "p@ss: w/rd%20"


def run():
    feeds = FeedServer()
    a, b, c = (feeds.url(name) for name in "abc")
    account = Account("lists", PASSWORD)
    client = account.client()
    desktop = Desktop(account, "my.host.lan")

    with check("the list on the server is replaced"):
        client.put_subscriptions("my.host.lan", [c, "http://example.org/old.xml"])
        desktop.subscribe(b, a)
        desktop.replace_list_on_server()
        same(sorted(client.get_subscriptions("my.host.lan")), [a, b])
        desktop.sync()
        same(desktop.received(), [])

    with check("the list on the server is replaced by an empty one"):
        desktop.unsubscribe(a, b)
        desktop.replace_list_on_server()
        same(client.get_subscriptions("my.host.lan"), [])

    with check("the list of all devices is downloaded"):
        client.put_subscriptions("my.host.lan", [a, f"{b}?x=1&y=%C3%BC"])
        client.put_subscriptions("phone", [c, a])
        same({entry["url"] for entry in desktop.download_list()}, {a, f"{b}?x=1&y=%C3%BC", c})

    with check("the downloaded list of an account without subscriptions is empty"):
        same(Desktop(Account("nothing", PASSWORD), "desktop").download_list(), [])

    with check("gpo subscribes to the feeds on the server"):
        client.put_subscriptions("my.host.lan", [a, b])
        client.put_subscriptions("phone", [])
        with tempfile.TemporaryDirectory() as home:
            gpo(home, "import", desktop.my.get_download_user_subscriptions_url())
            exported = os.path.join(home, "exported.opml")
            gpo(home, "export", exported)
            with open(exported) as file:
                text = file.read()
        same([url in text for url in (a, b, c)], [True, True, False])


def gpo(home, *args):
    env = {**os.environ, "GPODDER_HOME": home}
    subprocess.run(["/usr/bin/gpo", *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)

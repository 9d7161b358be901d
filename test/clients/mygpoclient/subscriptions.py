"""Whole lists and deltas of one device."""

from account import Account
from mygpoclient import http
from report import check, raises, same

A, B, C = (f"http://example.org/{name}.xml" for name in "abc")


def run():
    client = Account("subscriptions").client()

    with check("get_subscriptions of an unknown device is NotFound, and does not create it"):
        raises(http.NotFound, client.get_subscriptions, "nowhere")
        same([device.device_id for device in client.get_devices()], [])

    with check("put_subscriptions replaces the list, also by an empty one"):
        for urls in ([A, B], [C, A], []):
            same(client.put_subscriptions("whole", urls), True)
            same(sorted(client.get_subscriptions("whole")), sorted(urls))

    with check("put_subscriptions keeps the order, also of two thousand feeds"):
        urls = [f"https://example.org/{index}/feed.xml" for index in range(2000, 0, -1)]
        same(client.put_subscriptions("large", urls), True)
        same(client.get_subscriptions("large"), urls)

    with check("update_subscriptions adds and removes, and get_subscriptions shows it"):
        same(client.update_subscriptions("delta", [A, B, C]).update_urls, [])
        client.update_subscriptions("delta", [], [B])
        same(client.get_subscriptions("delta"), [A, C])
        client.update_subscriptions("delta", remove_urls=[A, C])
        same(client.get_subscriptions("delta"), [])

    with check("update_subscriptions without changes returns a mark, too"):
        first = client.update_subscriptions("delta")
        same(first.update_urls, [])
        same(type(first.since), int)

    with check("one feed in both add and remove is a BadRequest, and nothing is stored"):
        client.put_subscriptions("both", [A])
        raises(http.BadRequest, client.update_subscriptions, "both", [B, C], [A, B])
        same(client.get_subscriptions("both"), [A])

    with check("pull_subscriptions without a mark returns the whole list"):
        client.update_subscriptions("pull", [A, B])
        client.update_subscriptions("pull", [C], [A])
        for since in (None, 0):
            changes = client.pull_subscriptions("pull", since)
            same((changes.add, changes.remove), ([B, C], []))

    with check("pull_subscriptions of an unknown device is empty"):
        changes = client.pull_subscriptions("nowhere")
        same((changes.add, changes.remove), ([], []))

    with check("pull_subscriptions returns the changes since the mark, and nothing twice"):
        client.update_subscriptions("marks", [A, B])
        mark = client.pull_subscriptions("marks", 0).since
        client.update_subscriptions("marks", [C], [A])
        changes = client.pull_subscriptions("marks", mark)
        same((changes.add, changes.remove), ([C], [A]))
        changes = client.pull_subscriptions("marks", changes.since)
        same((changes.add, changes.remove), ([], []))

    with check("the mark of update_subscriptions is above its own changes"):
        # On another account: recent changes of other devices are returned again.
        alone = Account("alone").client()
        mark = alone.update_subscriptions("own", [A]).since
        changes = alone.pull_subscriptions("own", mark)
        same((changes.add, changes.remove), ([], []))

    with check("pull_subscriptions returns the changes that a whole list has made"):
        client.put_subscriptions("replaced", [A, B])
        mark = client.pull_subscriptions("replaced").since
        client.put_subscriptions("replaced", [B, C])
        changes = client.pull_subscriptions("replaced", mark)
        same((changes.add, changes.remove), ([C], [A]))

    with check("update_urls has rewritten URLs, and the empty string for unusable ones"):
        result = client.update_subscriptions("rewritten", [" HTTP://Example.ORG:80/Feed ", "ftp://example.org/feed", A])
        same(
            result.update_urls,
            [(" HTTP://Example.ORG:80/Feed ", "http://example.org/Feed"), ("ftp://example.org/feed", "")],
        )
        same(client.get_subscriptions("rewritten"), ["http://example.org/Feed", A])

    with check("URLs with letters outside ASCII are encoded"):
        written, kept = "http://bücher.example/füd.xml", "http://xn--bcher-kva.example/f%C3%BCd.xml"
        same(client.update_subscriptions("unicode", [written]).update_urls, [(written, kept)])
        same(client.get_subscriptions("unicode"), [kept])
        same(client.update_subscriptions("unicode", remove_urls=[written]).update_urls, [(written, kept)])
        same(client.get_subscriptions("unicode"), [])

    with check("URLs keep their escapes and letter case"):
        urls = [
            "https://example.org/A%2fb/../c?x=1&y=%C3%BC+z;q",
            "http://example.org:8080/feed/?utm_source=a",
            "http://example.org//x",
        ]
        same(client.update_subscriptions("exact", urls).update_urls, [])
        same(client.get_subscriptions("exact"), urls)

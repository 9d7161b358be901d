"""Subscriptions that gPodder uploads and receives."""

from account import Account
from desktop import Desktop
from feeds import FeedServer
from report import check, request, same


def run():
    feeds = FeedServer()
    a, b, c = (feeds.url(name) for name in "abc")

    with check("new and removed subscriptions are uploaded"):
        account = Account("uploading")
        client = account.client()
        desktop = Desktop(account, "desktop")
        desktop.subscribe(a, b)
        desktop.sync()
        same(client.get_subscriptions("desktop"), [a, b])
        desktop.unsubscribe(a)
        desktop.subscribe(c)
        desktop.sync()
        same(client.get_subscriptions("desktop"), [b, c])
        desktop.sync()
        same(desktop.received(), [])

    with check("a subscription that is removed before the next sync is not uploaded"):
        desktop.subscribe(a)
        desktop.unsubscribe(a)
        desktop.sync()
        same(client.get_subscriptions("desktop"), [b, c])

    with check("changes of its list by another device are received"):
        account = Account("receiving")
        client = account.client()
        desktop = Desktop(account, "desktop")
        client.put_subscriptions("desktop", [a, b])
        desktop.sync()
        same(desktop.received(), [(True, a), (True, b)])
        desktop.accept()
        same(desktop.urls(), [a, b])
        client.update_subscriptions("desktop", [c], [a])
        desktop.sync()
        same(sorted(desktop.received()), [(False, a), (True, c)])
        desktop.accept()
        same(desktop.urls(), [b, c])
        desktop.sync()
        same(desktop.received(), [])

    with check("two devices that follow each other have one list, across restarts of the server and of themselves"):
        account = Account("following")
        home, work = Desktop(account, "home"), Desktop(account, "work")
        for desktop in (home, work):
            desktop.my.create_device()
            desktop.sync()
        account.synchronize("home", "work")
        home.subscribe(a, b)
        for round in range(4):
            for desktop in (home, work, home):
                desktop.sync()
                desktop.accept()
            same(sorted(work.urls()), sorted(home.urls()))
            request("restart")
            work.restart()
            work.accept()
            work.unsubscribe(*work.urls()[:1])
            work.subscribe(feeds.url(f"round-{round}"))
        for desktop in (work, home):
            desktop.sync()
            desktop.accept()
        same(home.urls(), [feeds.url("round-2"), feeds.url("round-3")])
        same(account.client().get_subscriptions("home"), home.urls())

    with check("a subscription that its user rejects is removed on the other device"):
        home.subscribe(c)
        home.sync()
        work.sync()
        same(work.received(), [(True, c)])
        work.reject()
        work.sync()
        home.sync()
        same(home.received(), [(False, c)])

    with check("it receives the rewritten form of a URL, and nothing about an unusable one"):
        account = Account("rewriting")
        desktop = Desktop(account, "desktop")
        desktop.my.on_subscribe(["HTTP://Example.ORG:80/Feed", "file:///feeds/feed.xml", a])
        desktop.sync()
        rewritten = [(each.old_url, each.new_url) for each in desktop.my.get_rewritten_urls()]
        same(rewritten, [("HTTP://Example.ORG:80/Feed", "http://example.org/Feed")])
        same(account.client().get_subscriptions("desktop"), ["http://example.org/Feed", a])

"""What gPodder subscribes to, and what it hears of other devices."""

from account import Account
from desktop import Desktop
from feeds import FeedServer
from report import check, please, same


def run():
    feeds = FeedServer()
    a, b, c = (feeds.url(name) for name in "abc")

    with check("what it subscribes to and leaves is uploaded"):
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

    with check("what was subscribed to and left before it synchronized is not uploaded"):
        desktop.subscribe(a)
        desktop.unsubscribe(a)
        desktop.sync()
        same(client.get_subscriptions("desktop"), [b, c])

    with check("it hears what another device changes in its list"):
        account = Account("hearing")
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

    with check("two that follow each other have one list, over restarts of the server and of themselves"):
        account = Account("following")
        home, work = Desktop(account, "home"), Desktop(account, "work")
        for desktop in (home, work):
            desktop.my.create_device()
            desktop.sync()
        account.synchronize("home", "work")
        home.subscribe(a, b)
        for turn in range(4):
            for desktop in (home, work, home):
                desktop.sync()
                desktop.accept()
            same(sorted(work.urls()), sorted(home.urls()))
            please("restart")
            work.restart()
            work.accept()
            work.unsubscribe(*work.urls()[:1])
            work.subscribe(feeds.url(f"turn-{turn}"))
        for desktop in (work, home):
            desktop.sync()
            desktop.accept()
        same(home.urls(), [feeds.url("turn-2"), feeds.url("turn-3")])
        same(account.client().get_subscriptions("home"), home.urls())

    with check("what its user rejects is taken back on the other device"):
        home.subscribe(c)
        home.sync()
        work.sync()
        same(work.received(), [(True, c)])
        work.reject()
        work.sync()
        home.sync()
        same(home.received(), [(False, c)])

    with check("it learns how a URL was rewritten, and is told nothing of one that cannot be used"):
        account = Account("rewriting")
        desktop = Desktop(account, "desktop")
        desktop.my.on_subscribe(["HTTP://Example.ORG:80/Feed", "file:///feeds/feed.xml", a])
        desktop.sync()
        rewritten = [(each.old_url, each.new_url) for each in desktop.my.get_rewritten_urls()]
        same(rewritten, [("HTTP://Example.ORG:80/Feed", "http://example.org/Feed")])
        same(account.client().get_subscriptions("desktop"), ["http://example.org/Feed", a])

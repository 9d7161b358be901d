"""Accounts and sessions. The library never calls the login: a client object answers up to three challenges, and uses
the cookie after each."""

from account import ROOT, Account, challenges
from mygpoclient import api, http
from report import check, raises, request, same

FEED = "http://example.org/feed.xml"


def run():
    account = Account("sessions")

    with check("ten calls in a row work with one client object"):
        client = account.client()
        for call in range(5):
            same(client.put_subscriptions("phone", [f"{FEED}?{call}"]), True)
            same(client.get_subscriptions("phone"), [f"{FEED}?{call}"])

    with check("one challenge is enough for a client object"):
        client = account.client()
        for _ in range(4):
            client.get_devices()
        same(challenges(client), 1)

    with check("a client object whose first call is a large upload receives the challenge"):
        long = f"{FEED}?{'x' * 8000}"
        same(account.client().put_subscriptions("phone", [long] * 1500), True)
        same(account.client().get_subscriptions("phone"), [long])

    with check("a wrong password is Unauthorized, and changes nothing"):
        client = account.client()
        client.put_subscriptions("phone", [FEED])
        intruder = account.client(password="wrong")
        raises(http.Unauthorized, intruder.get_subscriptions, "phone")
        raises(http.Unauthorized, intruder.put_subscriptions, "phone", [])
        raises(http.Unauthorized, intruder.update_device_settings, "phone", "Stolen", "other")
        same(client.get_subscriptions("phone"), [FEED])

    with check("a client object whose session has ended needs one more challenge"):
        client = account.client()
        client.put_subscriptions("phone", [FEED])
        account.logout(client)
        for _ in range(5):
            same(client.get_subscriptions("phone"), [FEED])
        same(challenges(client), 2)

    with check("the session outlives a restart of the server"):
        client = account.client()
        client.put_subscriptions("phone", [FEED])
        request("restart")
        same(client.get_subscriptions("phone"), [FEED])
        same(challenges(client), 1)

    with check("the address works with a slash at its end, and without a scheme"):
        for root in (f"{ROOT}/", ROOT.removeprefix("http://")):
            client = account.client(root=root)
            same(client.put_subscriptions("phone", [FEED]), True)
            same(client.get_subscriptions("phone"), [FEED])

    with check("two accounts do not see data of each other"):
        ann, ben = Account("ann").client(), Account("ben").client()
        ann.put_subscriptions("phone", [FEED])
        ann.upload_episode_actions([api.EpisodeAction(FEED, "http://example.org/1.mp3", "download", "phone")])
        same(ben.get_devices(), [])
        same(ben.download_episode_actions().actions, [])
        same(ben.pull_subscriptions("phone").add, [])

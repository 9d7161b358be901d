"""Episode actions: one history for the whole account."""

from account import Account
from mygpoclient import api, http
from report import check, raises, same

FEED, OTHER_FEED = "http://example.org/feed.xml?format=mp3&lang=de", "http://example.org/other.xml"
MEDIA = "http://example.org/1.mp3"
WHEN = "2024-01-02T03:04:05"


def run():
    with check("actions of every kind are returned unchanged, in the order of upload"):
        client = Account("kinds").client()
        actions = [
            api.EpisodeAction(FEED, MEDIA, "play", "phone", WHEN, 15, 120, 3600),
            api.EpisodeAction(FEED, MEDIA, "play", "phone", WHEN, None, 60),
            api.EpisodeAction(FEED, MEDIA, "play", None, WHEN),
            api.EpisodeAction(FEED, MEDIA, "download", "laptop", "2019-12-31T23:59:59"),
            api.EpisodeAction(OTHER_FEED, MEDIA, "delete", "phone", WHEN),
            api.EpisodeAction(OTHER_FEED, MEDIA, "new", "phone", WHEN),
        ]
        same(type(client.upload_episode_actions(actions)), int)
        same(plain(client.download_episode_actions()), plain(actions))

    account = Account("episodes")
    client = account.client()

    with check("download_episode_actions of a new account is empty"):
        same(plain(client.download_episode_actions()), [])

    with check("upload_episode_actions without actions returns a mark, too"):
        same(type(client.upload_episode_actions([])), int)

    phone = api.EpisodeAction(FEED, MEDIA, "download", "my phone", WHEN)
    laptop = api.EpisodeAction(FEED, MEDIA, "play", "Küche", WHEN, 0, 1, 2)
    elsewhere = api.EpisodeAction(OTHER_FEED, MEDIA, "delete", "my phone", WHEN)
    middle = client.upload_episode_actions([phone])
    client.upload_episode_actions([laptop, elsewhere])

    for parameters, expected in (
        ({}, [phone, laptop, elsewhere]),
        ({"since": 0}, [phone, laptop, elsewhere]),
        ({"since": middle}, [laptop, elsewhere]),
        ({"podcast": FEED}, [phone, laptop]),
        ({"podcast": "http://example.org/unknown"}, []),
        ({"device_id": "my phone"}, [phone, elsewhere]),
        ({"device_id": "Küche"}, [laptop]),
        ({"device_id": "unknown"}, []),
        ({"since": middle, "podcast": FEED}, [laptop]),
        ({"since": middle, "device_id": "my phone"}, [elsewhere]),
    ):
        arguments = ", ".join(f"{name}={'MARK' if value == middle else value}" for name, value in parameters.items())
        with check(f"download_episode_actions({arguments})"):
            same(plain(client.download_episode_actions(**parameters)), plain(expected))

    with check("download_episode_actions returns nothing twice"):
        mark = client.download_episode_actions().since
        same(plain(client.download_episode_actions(mark)), [])
        late = api.EpisodeAction(FEED, "http://example.org/late.mp3", "download", "my phone", "2001-01-01T00:00:00")
        client.upload_episode_actions([late])
        # Its timestamp is old, but it was uploaded after the mark.
        changes = client.download_episode_actions(mark)
        same(plain(changes), plain([late]))
        same(plain(client.download_episode_actions(changes.since)), [])

    with check("an action sent again is not stored twice"):
        before = plain(client.download_episode_actions())
        client.upload_episode_actions([phone, laptop])
        same(plain(client.download_episode_actions()), before)

    with check("a timestamp with a fraction or a Z is returned in the form that every client reads"):
        for given in (f"{WHEN}Z", f"{WHEN}.25"):
            episode = f"http://example.org/{given}.mp3"
            client.upload_episode_actions([api.EpisodeAction(OTHER_FEED, episode, "new", timestamp=given)])
            same(find(client, episode).timestamp, WHEN)

    with check("an action without a timestamp gets the time of the upload"):
        client.upload_episode_actions([api.EpisodeAction(FEED, "http://example.org/now.mp3", "download")])
        same(find(client, "http://example.org/now.mp3").timestamp > "2025-01-01T00:00:00", True)

    with check("an action with an unusable URL is skipped, and the others are kept"):
        mark = client.download_episode_actions().since
        kept = api.EpisodeAction(FEED, "http://example.org/kept.mp3", "download", "my phone", WHEN)
        unusable = [
            api.EpisodeAction(FEED, "file:///feeds/1.mp3", "play", "my phone", WHEN),
            api.EpisodeAction(FEED, "http://example.org/größe.mp3", "play", "my phone", WHEN),
        ]
        client.upload_episode_actions([*unusable, kept])
        same(plain(client.download_episode_actions(mark)), plain([kept]))

    with check("an unknown kind of action is a BadRequest, and nothing of its batch is stored"):
        before = plain(client.download_episode_actions())
        batch = [api.EpisodeAction(FEED, f"http://example.org/{kind}.mp3", kind) for kind in ("download", "flattr")]
        raises(http.BadRequest, client.upload_episode_actions, batch)
        same(plain(client.download_episode_actions()), before)

    with check("five thousand actions are returned in order"):
        many = [
            api.EpisodeAction(OTHER_FEED, f"http://example.org/{index}.mp3", "play", "phone", WHEN, 0, index, 5000)
            for index in range(5000)
        ]
        client = Account("many").client()
        client.upload_episode_actions(many)
        same(plain(client.download_episode_actions()) == plain(many), True)


def plain(actions):
    return [action.to_dictionary() for action in getattr(actions, "actions", actions)]


def find(client, episode):
    (action,) = [action for action in client.download_episode_actions().actions if action.episode == episode]
    return action

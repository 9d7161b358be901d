"""Settings in all scopes, and favorites, which are a setting."""

from account import Account
from mygpoclient import http
from report import check, raises, same

FEED, OTHER_FEED = "http://example.org/feed.xml?format=mp3&lang=de", "http://example.org/other.xml"
MEDIA = "http://example.org/1.mp3"

SCOPES = {
    "account": (None, None),
    "device": ("my.host.lan", None),
    "podcast": (FEED, None),
    "episode": (FEED, MEDIA),
}
ELSEWHERE = (
    ("device", "phone", None),
    ("podcast", OTHER_FEED, None),
    ("episode", FEED, "http://example.org/2.mp3"),
    ("episode", OTHER_FEED, MEDIA),
)
VALUES = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "fraction": -1.5,
    "large": 2**53 - 1,
    "empty": "",
    "Schlüssel 📻": 'a "text" äöü 📻\n\u0000',
    "array": [1, [2, None], {}],
    "object": {"a": {"b": [True]}, "": 0},
    "__proto__": {"polluted": True},
    "constructor": "kept",
}


def run():
    account = Account("settings")
    client = account.client()

    for scope, of in SCOPES.items():
        with check(f"settings of the {scope} are empty at first"):
            same(client.get_settings(scope, *of), {})

        with check(f"settings of the {scope} accept every kind of JSON value"):
            same(client.set_settings(scope, *of, set={**VALUES, "scope": scope}), {**VALUES, "scope": scope})
            same(account.client().get_settings(scope, *of), {**VALUES, "scope": scope})

        with check(f"settings of the {scope} are set and removed by key, and the others are kept"):
            client.set_settings(scope, *of, remove=list(VALUES))
            same(client.set_settings(scope, *of, set={"a": 1, "b": 2}), {"scope": scope, "a": 1, "b": 2})
            same(client.set_settings(scope, *of, {"a": 3, "c": 4}, ["b", "unknown"]), {"scope": scope, "a": 3, "c": 4})
            same(client.set_settings(scope, *of, {"d": 5}, ["d"]), {"scope": scope, "a": 3, "c": 4})
            same(client.set_settings(scope, *of), {"scope": scope, "a": 3, "c": 4})
            same(client.get_settings(scope, *of), {"scope": scope, "a": 3, "c": 4})

        with check(f"settings of the {scope} that are not an object are a BadRequest, and change nothing"):
            raises(http.BadRequest, client.set_settings, scope, *of, ["a"], ["c"])
            raises(http.BadRequest, client.set_settings, scope, *of, {"a": 9}, [1])
            raises(http.BadRequest, client.set_settings, scope, *of, {"a": 9, "": 9})
            same(client.get_settings(scope, *of), {"scope": scope, "a": 3, "c": 4})

    with check("no scope sees the settings of another"):
        for scope, of in SCOPES.items():
            same(client.get_settings(scope, *of)["scope"], scope)
        for scope in ELSEWHERE:
            same(client.get_settings(*scope), {})

    with check("no account sees the settings of another"):
        other = Account("other").client()
        for scope, of in SCOPES.items():
            same(other.get_settings(scope, *of), {})

    with check("settings of a device with a space in its name are kept"):
        client.set_settings("device", "kitchen%20radio", None, {"volume": 11})
        same(client.get_settings("device", "kitchen+radio"), {"volume": 11})

    with check("settings of a feed are found by every form of its URL"):
        client.set_settings("podcast", " HTTP://Example.ORG:80/Feed#top ", None, {"speed": 1.5})
        same(client.get_settings("podcast", "http://example.org/Feed"), {"speed": 1.5})

    with check("settings create no device"):
        same(client.get_devices(), [])

    favorites()


def favorites():
    client = Account("favorites").client()

    def favorites():
        return [(episode.podcast_url, episode.url) for episode in client.get_favorite_episodes()]

    with check("get_favorite_episodes is empty at first"):
        same(favorites(), [])

    with check("get_favorite_episodes returns the episodes with the setting is_favorite"):
        client.set_settings("episode", FEED, MEDIA, {"is_favorite": True})
        client.set_settings("episode", OTHER_FEED, MEDIA, {"is_favorite": True, "note": "good"})
        client.set_settings("episode", FEED, "http://example.org/2.mp3", {"is_favorite": False})
        client.set_settings("episode", FEED, "http://example.org/3.mp3", {"note": "is_favorite"})
        same(sorted(favorites()), [(FEED, MEDIA), (OTHER_FEED, MEDIA)])

    with check("get_favorite_episodes omits an episode whose setting is false or removed"):
        client.set_settings("episode", FEED, MEDIA, {"is_favorite": False})
        same(favorites(), [(OTHER_FEED, MEDIA)])
        client.set_settings("episode", OTHER_FEED, MEDIA, remove=["is_favorite"])
        same(favorites(), [])

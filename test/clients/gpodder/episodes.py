"""Episode actions that gPodder uploads and receives."""

from account import Account
from desktop import Desktop, gpodder
from feeds import FeedServer
from mygpoclient import api
from report import check, request, same

OLD, NEW = "2001-01-01T00:00:00", "2030-01-01T00:00:00"


def run():
    feeds = FeedServer(episodes=120)
    feed = feeds.url("feed")

    def media(number):
        return feeds.media("feed", number)

    with check("downloads, plays and deletions are uploaded"):
        account = Account("uploading-episodes")
        desktop = Desktop(account, "my.host.lan")
        desktop.subscribe(feed)
        one, two = desktop.episode(feed, media(1)), desktop.episode(feed, media(2))
        desktop.my.on_download([one, two])
        desktop.my.on_playback_full(one, 10, 60, 3600)
        desktop.my.on_playback([two])
        desktop.my.on_delete([one])
        desktop.sync()
        actions = account.client().download_episode_actions().actions
        same(
            [(each.podcast, each.episode, each.device, each.action) for each in actions],
            [
                (feed, media(number), "my.host.lan", action)
                for number, action in ((1, "download"), (2, "download"), (1, "play"), (2, "play"), (1, "delete"))
            ],
        )
        same(
            [(each.started, each.position, each.total) for each in actions if each.action == "play"],
            [(10, 60, 3600), (None, None, None)],
        )

    with check("no action is uploaded twice"):
        for _ in range(4):
            desktop.sync()
        same(len(account.client().download_episode_actions().actions), 5)

    with check("plays and deletions of another device are applied"):
        account = Account("receiving-episodes")
        desktop = Desktop(account, "desktop")
        desktop.subscribe(feed)
        desktop.sync()
        account.client().upload_episode_actions(
            [
                api.EpisodeAction(feed, media(1), "play", "phone", NEW, 0, 120, 3600),
                api.EpisodeAction(feed, media(2), "play", "phone", None, None, 60),
                api.EpisodeAction(feed, media(3), "delete", "phone"),
                api.EpisodeAction(feed, media(4), "download", "phone"),
                api.EpisodeAction(feed, media(5), "new", "phone"),
                api.EpisodeAction(feed, feeds.media("feed", "unknown"), "play", "phone", NEW, 0, 1, 2),
            ]
        )
        desktop.sync()
        same(desktop.process_actions(), [media(1), media(2), media(3)])
        played, begun, deleted = (desktop.episode(feed, media(number)) for number in (1, 2, 3))
        same((played.current_position, played.total_time, played.is_new), (120, 3600, False))
        same((begun.current_position, begun.is_new), (60, False))
        same(deleted.state, gpodder.STATE_DELETED)

    with check("an action with an old timestamp is received"):
        account.client().upload_episode_actions([api.EpisodeAction(feed, media(6), "play", "phone", OLD, 0, 30, 3600)])
        desktop.sync()
        same(desktop.process_actions(), [media(6)])
        same(desktop.episode(feed, media(6)).current_position, 30)

    with check("more actions than it sends in one request are uploaded, in order"):
        desktop = Desktop(Account("many-actions"), "desktop")
        desktop.subscribe(feed)
        desktop.my.on_download([desktop.episode(feed, media(number)) for number in range(1, 121)])
        desktop.sync()
        actions = desktop.my._client.download_episode_actions().actions
        same([action.episode for action in actions], [media(number) for number in range(1, 121)])

    with check("two desktops continue each other's episodes, across restarts of the server and of themselves"):
        account = Account("two-desktops")
        home, work = Desktop(account, "home"), Desktop(account, "work")
        for desktop in (home, work):
            desktop.subscribe(feed)
        for round in range(1, 11):
            for one, other, number in ((home, work, round), (work, home, 100 + round)):
                one.my.on_playback_full(one.episode(feed, media(number)), 0, round, 3600)
                one.sync()
                other.sync()
                other.process_actions()
                same(other.episode(feed, media(number)).current_position, round)
            if round % 4 == 0:
                request("restart")
                home.restart()

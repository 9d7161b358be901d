"""What gPodder tells of episodes, and what it hears."""

from account import Account
from desktop import Desktop, gpodder
from feeds import FeedServer
from mygpoclient import api
from report import check, please, same

OLD, NEW = "2001-01-01T00:00:00", "2030-01-01T00:00:00"


def run():
    feeds = FeedServer(episodes=120)
    feed = feeds.url("feed")

    def media(number):
        return feeds.media("feed", number)

    with check("what is downloaded, played and deleted is uploaded"):
        account = Account("telling")
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

    with check("it sends nothing twice"):
        for _ in range(4):
            desktop.sync()
        same(len(account.client().download_episode_actions().actions), 5)

    with check("what another device plays and deletes is taken over"):
        account = Account("hearing-of-episodes")
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

    with check("an action that is old by its own time reaches it"):
        account.client().upload_episode_actions([api.EpisodeAction(feed, media(6), "play", "phone", OLD, 0, 30, 3600)])
        desktop.sync()
        same(desktop.process_actions(), [media(6)])
        same(desktop.episode(feed, media(6)).current_position, 30)

    with check("more actions than it sends at once arrive, in order"):
        desktop = Desktop(Account("many-actions"), "desktop")
        desktop.subscribe(feed)
        desktop.my.on_download([desktop.episode(feed, media(number)) for number in range(1, 121)])
        desktop.sync()
        actions = desktop.my._client.download_episode_actions().actions
        same([action.episode for action in actions], [media(number) for number in range(1, 121)])

    with check("two play each other's episodes on, over restarts of the server and of themselves"):
        account = Account("two-desktops")
        home, work = Desktop(account, "home"), Desktop(account, "work")
        for desktop in (home, work):
            desktop.subscribe(feed)
        for turn in range(1, 11):
            for one, other, number in ((home, work, turn), (work, home, 100 + turn)):
                one.my.on_playback_full(one.episode(feed, media(number)), 0, turn, 3600)
                one.sync()
                other.sync()
                other.process_actions()
                same(other.episode(feed, media(number)).current_position, turn)
            if turn % 4 == 0:
                please("restart")
                home.restart()

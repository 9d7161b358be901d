"""Two client objects as two devices of one user: each pulls, then pushes, and keeps the marks that it receives."""

from account import Account
from mygpoclient import api
from report import check, same

A, B, C = (f"http://example.org/{name}.xml" for name in "abc")


def run():
    with check("two devices continue each other's episodes, and miss nothing"):
        account = Account("syncing")
        phone, laptop = Player(account, "phone"), Player(account, "laptop")
        for position in range(1, 11):
            phone.play("http://example.org/1.mp3", position)
            phone.sync()
            laptop.sync()
            same(laptop.positions["http://example.org/1.mp3"], position)
            laptop.play("http://example.org/2.mp3", position)
            laptop.sync()
            phone.sync()
            same(phone.positions["http://example.org/2.mp3"], position)

    with check("concurrent pushes reach the other device"):
        account = Account("concurrent")
        phone, laptop = Player(account, "phone"), Player(account, "laptop")
        for position in range(1, 11):
            phone.play("http://example.org/1.mp3", position)
            laptop.play("http://example.org/2.mp3", position)
            # Each pulls before the other pushes, and continues from the mark of its own push.
            phone.pull()
            laptop.pull()
            phone.push()
            laptop.push()
            phone.pull()
            laptop.pull()
            same(phone.positions, {"http://example.org/1.mp3": position, "http://example.org/2.mp3": position})
            same(laptop.positions, phone.positions)

    with check("one device follows the subscriptions of another"):
        account = Account("following")
        phone, laptop = account.client(), account.client()
        phone.update_subscriptions("phone", [A, B])
        laptop.update_device_settings("laptop", "Laptop", "laptop")
        mark = 0
        for add, remove, expected in (([], [], [A, B]), ([C], [A], [B, C]), ([A], [B], [A, C]), ([], [], [A, C])):
            phone.update_subscriptions("phone", add, remove)
            changes = laptop.pull_subscriptions("phone", mark)
            laptop.update_subscriptions("laptop", changes.add, changes.remove)
            mark = changes.since
            same(sorted(laptop.get_subscriptions("laptop")), expected)
        same({device.device_id: device.subscriptions for device in laptop.get_devices()}, {"phone": 2, "laptop": 2})

    with check("a client object that shares a device with another sees its changes"):
        account = Account("sharing")
        one, other = account.client(), account.client()
        mark = other.pull_subscriptions("shared").since
        one.update_subscriptions("shared", [A])
        changes = other.pull_subscriptions("shared", mark)
        same(changes.add, [A])
        other.update_subscriptions("shared", [], [A])
        same(one.get_subscriptions("shared"), [])


class Player:
    """A device that plays episodes."""

    def __init__(self, account, device):
        self.client = account.client()
        self.device = device
        self.positions = {}
        self._queue = []
        self._mark = 0

    def play(self, episode, position):
        self.positions[episode] = position
        self._queue.append(api.EpisodeAction(A, episode, "play", self.device, None, 0, position, 3600))

    def pull(self):
        changes = self.client.download_episode_actions(self._mark)
        for action in changes.actions:
            # Known actions may be received again.
            self.positions[action.episode] = max(action.position, self.positions.get(action.episode, 0))
        self._mark = changes.since

    def push(self):
        self._mark = self.client.upload_episode_actions(self._queue)
        self._queue.clear()

    def sync(self):
        self.pull()
        if self._queue:
            self.push()

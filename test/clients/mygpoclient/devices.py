"""Device records."""

from account import Account
from mygpoclient import api, http
from report import check, raises, same


def run():
    client = Account("devices").client()

    def find(device_id):
        (device,) = [device for device in client.get_devices() if device.device_id == device_id]
        return device

    with check("an account has no devices at first"):
        same(client.get_devices(), [])

    with check("update_device_settings returns true for a new device and for a known one"):
        same(client.update_device_settings("phone", "My phone", "mobile"), True)
        same(client.update_device_settings("phone", "My old phone", "other"), True)
        same(str(find("phone")), "PodcastDevice('phone', 'My old phone', 'other', 0)")

    with check("update_device_settings changes only the given fields"):
        client.update_device_settings("partial", "Caption", "laptop")
        client.update_device_settings("partial", caption="New caption")
        same(str(find("partial")), "PodcastDevice('partial', 'New caption', 'laptop', 0)")
        client.update_device_settings("partial", type="server")
        same(str(find("partial")), "PodcastDevice('partial', 'New caption', 'server', 0)")
        same(client.update_device_settings("partial"), True)
        client.update_device_settings("partial", caption="")
        same(str(find("partial")), "PodcastDevice('partial', '', 'server', 0)")

    with check("all types of the library are accepted"):
        for device_type in api.PodcastDevice.VALID_TYPES:
            client.update_device_settings(device_type, type=device_type)
            same(find(device_type).type, device_type)

    with check("another type is a BadRequest, and creates no device"):
        raises(http.BadRequest, client.update_device_settings, "toaster", "Toaster", "toaster")
        same("toaster" in [device.device_id for device in client.get_devices()], False)

    with check("get_devices counts the subscriptions"):
        client.put_subscriptions("counted", ["http://example.org/a", "http://example.org/b", "http://example.org/c"])
        client.update_subscriptions("counted", [], ["http://example.org/b"])
        same(find("counted").subscriptions, 2)

    with check("an upload creates its device"):
        client.put_subscriptions("created-by-put", [])
        client.update_subscriptions("created-by-update", ["http://example.org/a"])
        action = api.EpisodeAction("http://example.org/a", "http://example.org/1.mp3", "download", "created-by-action")
        client.upload_episode_actions([action])
        for device_id, subscriptions in (("created-by-put", 0), ("created-by-update", 1), ("created-by-action", 0)):
            same(str(find(device_id)), f"PodcastDevice({device_id!r}, '', 'other', {subscriptions})")

    # The library does not escape the id in the path: an application escapes what urllib refuses.
    for in_path, device_id in (
        ("my.host.lan", "my.host.lan"),
        ("notes.json", "notes.json"),
        ("kitchen%20radio", "kitchen radio"),
        ("K%C3%BCche", "Küche"),
    ):
        with check(f'a device may be called "{device_id}"'):
            same(client.update_device_settings(in_path, "Küchenradio 📻", "desktop"), True)
            same(client.put_subscriptions(in_path, ["http://example.org/a"]), True)
            same(client.get_subscriptions(in_path), ["http://example.org/a"])
            client.update_subscriptions(in_path, ["http://example.org/b"])
            same(client.pull_subscriptions(in_path).add, ["http://example.org/a", "http://example.org/b"])
            same(str(find(device_id)), f"PodcastDevice({device_id!r}, 'Küchenradio 📻', 'desktop', 2)")

    with check("a device returned by get_devices can be passed to get_subscriptions and put_subscriptions"):
        client.update_device_settings("object")
        same(client.put_subscriptions(find("object"), ["http://example.org/a"]), True)
        same(client.get_subscriptions(find("object")), ["http://example.org/a"])

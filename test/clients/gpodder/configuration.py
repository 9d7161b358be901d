"""The preferences of gPodder: the server and its device."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from account import PASSWORD, ROOT, Account, challenges
from desktop import Desktop
from report import check, request, same


def run():
    account = Account("configuration")
    client = account.client()

    def devices():
        return {device.device_id: (device.caption, device.type) for device in client.get_devices()}

    with check("gpo accepts the address of the server"):
        with tempfile.TemporaryDirectory() as home:
            env = {**os.environ, "GPODDER_HOME": home}
            done = subprocess.run(["/usr/bin/gpo", "set", "mygpo.server", ROOT], env=env, capture_output=True, text=True)
            same(done.stdout.strip(), f"mygpo.server = {ROOT}")
            same(json.loads(Path(home, "Settings.json").read_text())["mygpo"]["server"], ROOT)

    with check("its device is registered with a dot in its name, and follows the preferences"):
        desktop = Desktop(account, "my.host.lan")
        desktop.config.update_field("mygpo.device.caption", "Rechner in der Küche")
        desktop.config.update_field("mygpo.device.type", "laptop")
        desktop.my.create_device()
        desktop.sync()
        same(devices(), {"my.host.lan": ("Rechner in der Küche", "laptop")})
        desktop.config.update_field("mygpo.device.caption", "")
        desktop.sync()
        same(devices(), {"my.host.lan": ("", "laptop")})
        same(desktop.my.get_devices(), [("my.host.lan", "", "laptop")])

    with check("ten syncs in a row cause one challenge, and synchronization stays enabled"):
        desktop = Desktop(account, "steady")
        for number in range(10):
            desktop.my.create_device()
            desktop.my.on_subscribe([f"http://example.org/{number}.xml"])
            desktop.sync()
        same(challenges(desktop.my._client), 1)
        same(desktop.config.mygpo.enabled, True)
        same(len(client.get_subscriptions("steady")), 10)

    with check("it continues after a restart of the server, and of itself"):
        desktop = Desktop(account, "restarted")
        desktop.my.on_subscribe(["http://example.org/a.xml"])
        desktop.sync()
        request("restart")
        desktop.my.on_subscribe(["http://example.org/b.xml"])
        desktop.sync()
        same(challenges(desktop.my._client), 1)
        desktop.my.on_subscribe(["http://example.org/c.xml"])
        desktop.restart()
        desktop.sync()
        same(client.get_subscriptions("restarted"), [f"http://example.org/{name}.xml" for name in "abc"])

    with check("a wrong password disables synchronization, and changes nothing"):
        before = devices()
        desktop = Desktop(account, "locked-out", password="wrong")
        desktop.my.create_device()
        desktop.my.on_subscribe(["http://example.org/a.xml"])
        desktop.my._worker_proc(forced=True)
        same(desktop.config.mygpo.enabled, False)
        same(devices(), before)

    with check("the right password enables it again, and pending changes are uploaded"):
        desktop.config.update_field("mygpo.password", PASSWORD)
        desktop.config.update_field("mygpo.enabled", "True")
        desktop.sync()
        same(client.get_subscriptions("locked-out"), ["http://example.org/a.xml"])

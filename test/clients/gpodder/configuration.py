"""The server in gPodder's preferences, and the device it is for the server."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from account import PASSWORD, ROOT, Account, challenges
from desktop import Desktop
from report import check, please, same


def run():
    account = Account("configuration")
    client = account.client()

    def devices():
        return {device.device_id: (device.caption, device.type) for device in client.get_devices()}

    with check("gpo takes the address of the server"):
        with tempfile.TemporaryDirectory() as home:
            env = {**os.environ, "GPODDER_HOME": home}
            done = subprocess.run(["/usr/bin/gpo", "set", "mygpo.server", ROOT], env=env, capture_output=True, text=True)
            same(done.stdout.strip(), f"mygpo.server = {ROOT}")
            same(json.loads(Path(home, "Settings.json").read_text())["mygpo"]["server"], ROOT)

    with check("its device is registered, under a name with dots, and follows the preferences"):
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

    with check("ten synchronizations in a row need one challenge, and leave it enabled"):
        desktop = Desktop(account, "steady")
        for number in range(10):
            desktop.my.create_device()
            desktop.my.on_subscribe([f"http://example.org/{number}.xml"])
            desktop.sync()
        same(challenges(desktop.my._client), 1)
        same(desktop.config.mygpo.enabled, True)
        same(len(client.get_subscriptions("steady")), 10)

    with check("it goes on after a restart of the server, and after its own"):
        desktop = Desktop(account, "restarted")
        desktop.my.on_subscribe(["http://example.org/a.xml"])
        desktop.sync()
        please("restart")
        desktop.my.on_subscribe(["http://example.org/b.xml"])
        desktop.sync()
        same(challenges(desktop.my._client), 1)
        desktop.my.on_subscribe(["http://example.org/c.xml"])
        desktop.restart()
        desktop.sync()
        same(client.get_subscriptions("restarted"), [f"http://example.org/{name}.xml" for name in "abc"])

    with check("a wrong password turns it off, and changes nothing"):
        before = devices()
        desktop = Desktop(account, "stranger", password="wrong")
        desktop.my.create_device()
        desktop.my.on_subscribe(["http://example.org/a.xml"])
        desktop.my._worker_proc(forced=True)
        same(desktop.config.mygpo.enabled, False)
        same(devices(), before)

    with check("the right password after that turns it on again, and what waited is uploaded"):
        desktop.config.update_field("mygpo.password", PASSWORD)
        desktop.config.update_field("mygpo.enabled", "True")
        desktop.sync()
        same(client.get_subscriptions("stranger"), ["http://example.org/a.xml"])

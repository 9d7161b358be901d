"""An account on the server, and the client objects that use it."""

import sys
import urllib.request

try:
    from mygpoclient import api, simple
except ImportError:
    sys.exit("mygpoclient is missing from this Python; install it with: apt-get install python3-mygpoclient")

from report import please

ROOT = sys.argv[2]

# A colon, a blank and letters outside ASCII: each has gone wrong in some server's reading of Basic credentials.
PASSWORD = "pä:ss wörd"


class Account:
    """A fresh account. The name has every sign that the library leaves unescaped in a path."""

    def __init__(self, area, password=PASSWORD):
        self.name = f"{area}.a-b_c+d"
        self.password = password
        please("add account", name=self.name, password=password)

    def client(self, password=None, root=ROOT):
        return api.MygPodderClient(self.name, password or self.password, root)

    def simple_client(self):
        return simple.SimpleClient(self.name, self.password, ROOT)

    def synchronize(self, *devices):
        """Lets these devices follow each other, which neither the library nor an application has a call for."""
        client = self.client()
        uri = f"{ROOT}/api/2/sync-devices/{self.name}.json"
        client._client.POST(uri, {"synchronize": [devices], "stop-synchronize": []})

    def logout(self, client):
        """Ends the session on the server; the client object keeps its cookie and does not know."""
        (cookie,) = client._client._cookie_jar
        request = urllib.request.Request(
            f"{ROOT}/api/2/auth/{self.name}/logout.json",
            method="POST",
            headers={"Cookie": f"{cookie.name}={cookie.value}"},
        )
        urllib.request.urlopen(request).close()


def challenges(client):
    """How often the client object had to show its password. The fourth time it gives up for good."""
    handlers = client._client._opener.handlers
    (basic,) = [handler for handler in handlers if isinstance(handler, urllib.request.HTTPBasicAuthHandler)]
    return basic.passwd._count

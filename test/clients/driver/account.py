"""An account on the server, and the client objects that use it."""

import sys
import urllib.request

try:
    from mygpoclient import api, simple
except ImportError:
    sys.exit("mygpoclient is missing from this Python; install it with: apt-get install python3-mygpoclient")

from report import request

ROOT = sys.argv[2]

# A colon, a space and letters outside ASCII: servers have misread each of them in Basic credentials.
PASSWORD = "pä:ss wörd"


class Account:
    """A new account. The name has every character that the library does not escape in a path."""

    def __init__(self, area, password=PASSWORD):
        self.name = f"{area}.a-b_c+d"
        self.password = password
        request("add account", name=self.name, password=password)

    def client(self, password=None, root=ROOT):
        return api.MygPodderClient(self.name, password or self.password, root)

    def simple_client(self):
        return simple.SimpleClient(self.name, self.password, ROOT)

    def synchronize(self, *devices):
        """Makes these devices follow each other; neither the library nor an application has a call for that."""
        client = self.client()
        uri = f"{ROOT}/api/2/sync-devices/{self.name}.json"
        client._client.POST(uri, {"synchronize": [devices], "stop-synchronize": []})

    def logout(self, client):
        """Ends the session on the server. The client object keeps its cookie and does not notice."""
        (cookie,) = client._client._cookie_jar
        request = urllib.request.Request(
            f"{ROOT}/api/2/auth/{self.name}/logout.json",
            method="POST",
            headers={"Cookie": f"{cookie.name}={cookie.value}"},
        )
        urllib.request.urlopen(request).close()


def challenges(client):
    """How often the client object had to send its password. The fourth time it gives up."""
    handlers = client._client._opener.handlers
    (basic,) = [handler for handler in handlers if isinstance(handler, urllib.request.HTTPBasicAuthHandler)]
    return basic.passwd._count

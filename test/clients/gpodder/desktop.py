"""gPodder without its windows: its classes, called as the windows call them."""

import atexit
import logging
import os
import sys
import tempfile
from contextlib import contextmanager

try:
    import gpodder
except ImportError:
    sys.exit("gPodder is missing from this Python; install it with: apt-get install gpodder")

from account import ROOT

gpodder.ui.cli = True
gpodder.prefix = "/usr"

from gpodder import core, my, opml  # after the above, which they read

# It would wait a minute after each change. The checks trigger the upload instead.
my.MygPoClient.FLUSH_TIMEOUT = 3600

# Kept until the end of the process, as it saves its preferences some time after they change.
HOMES = tempfile.TemporaryDirectory()


class LoggedErrors(logging.Handler):
    """Errors that gPodder logs instead of raising them."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self._texts = []
        logging.getLogger("gpodder").addHandler(self)

    def emit(self, record):
        self._texts.append(self.format(record))

    @contextmanager
    def raised(self):
        self._texts.clear()
        yield
        if self._texts:
            raise AssertionError("gPodder logged:\n" + "\n".join(self._texts))


logged_errors = LoggedErrors()


class Desktop:
    """gPodder on its own computer."""

    def __init__(self, account, uid, password=None):
        self._home = tempfile.mkdtemp(dir=HOMES.name)
        self._start()
        for key, value in {
            "server": ROOT,
            "username": account.name,
            "password": password or account.password,
            "device.uid": uid,
            "enabled": "True",
        }.items():
            self.config.update_field(f"mygpo.{key}", value)

    def _start(self):
        gpodder.set_home(self._home)
        self._core = core.Core()
        self.config = self._core.config
        self.my = my.MygPoClient(self.config)
        atexit.unregister(self.my._at_exit)

    def restart(self):
        """Closes the program, which synchronizes before it ends, and starts it again."""
        self.my._at_exit()
        self.config.save()
        self._core.shutdown()
        self._start()

    def sync(self):
        """Synchronizes as its worker thread does, but raises errors that the thread only logs."""
        with logged_errors.raised():
            self.my._worker_proc(forced=True)

    def urls(self):
        return [podcast.url for podcast in self._core.model.get_podcasts()]

    def subscribe(self, *urls):
        for url in urls:
            self._core.model.load_podcast(url)
        self.my.on_subscribe(urls)

    def unsubscribe(self, *urls):
        for url in urls:
            self._core.model.get_podcast(url).delete()
        self.my.on_unsubscribe(urls)

    def _to_confirm(self):
        """The received changes that would change its list. It confirms the others by itself."""
        urls, actions = self.urls(), self.my.get_received_actions()
        changes = [action for action in actions if action.is_add != (action.url in urls)]
        self.my.confirm_received_actions([action for action in actions if action not in changes])
        return changes

    def received(self):
        """The changes that its user has to confirm, as (is it an addition, URL)."""
        return [(action.is_add, action.url) for action in self._to_confirm()]

    def accept(self):
        """The user accepts all changes."""
        actions = self._to_confirm()
        for action in actions:
            if action.is_add:
                self._core.model.load_podcast(action.url)
            else:
                self._core.model.get_podcast(action.url).delete()
        self.my.confirm_received_actions(actions)

    def reject(self):
        """The user rejects all changes."""
        self.my.reject_received_actions(self._to_confirm())

    def replace_list_on_server(self):
        self.my.set_subscriptions(self.urls())

    def download_list(self):
        """The entries of the list of all devices on the server."""
        with logged_errors.raised():
            return opml.Importer(self.my.get_download_user_subscriptions_url()).items

    def episode(self, podcast_url, url):
        podcast = self._core.model.get_podcast(podcast_url)
        return podcast and next((each for each in podcast.get_all_episodes() if each.url == url), None)

    def process_actions(self):
        """Applies the received episode actions. Returns the URLs of the changed episodes."""
        changed = []
        self.my.process_episode_actions(self.episode, lambda episode: changed.append(episode.url))
        return changed

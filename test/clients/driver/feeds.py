"""A web server with feeds, for clients that fetch their subscriptions."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class FeedServer:
    """Every /NAME.xml is a feed with the title NAME and the given number of episodes."""

    def __init__(self, episodes=3):
        feed_of = self._feed

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(feed_of(self.path[1:].removesuffix(".xml"), episodes).encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        self._root = f"http://127.0.0.1:{server.server_port}"

    def url(self, name):
        return f"{self._root}/{name}.xml"

    def media(self, name, number):
        return f"{self._root}/{name}/{number}.mp3"

    def _feed(self, name, episodes):
        items = "".join(
            f"""<item><title>{name} {number}</title><guid>{name}-{number}</guid>
            <enclosure url="{self.media(name, number)}" type="audio/mpeg" length="1000"/></item>"""
            for number in range(1, episodes + 1)
        )
        return f"""<rss version="2.0"><channel><title>{name}</title>{items}</channel></rss>"""

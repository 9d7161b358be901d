"""The public directory. Its podcasts are those of sample-directory.ts."""

from urllib.parse import urlsplit

from account import ROOT, Account
from mygpoclient import http, public
from report import check, raises, same

ALPHA = "http://feeds.example/alpha"
BETA = "http://feeds.example/beta?format=rss&lang=de"
GAMMA = "http://feeds.example/gamma"


def urls(podcasts):
    return [podcast.url for podcast in podcasts]


def run():
    client = public.PublicClient(ROOT)

    with check("get_toplist is sorted by subscribers"):
        ranked = [podcast for podcast in client.get_toplist(100) if podcast.url.startswith("http://feeds.example/")]
        same(urls(ranked), [ALPHA, BETA, GAMMA])
        same([podcast.subscribers for podcast in ranked], [3, 2, 1])
        same(len(client.get_toplist(1)), 1)

    with check("get_toplist has all fields of a podcast, and a feed that was not fetched with its URL as title"):
        alpha, _, gamma = [podcast for podcast in client.get_toplist() if podcast.url in (ALPHA, BETA, GAMMA)]
        same(alpha.title, "Alpha Hour")
        same(alpha.description, 'All about "alpha": <the> first letter.')
        same(alpha.website, "http://alpha.example/")
        same(alpha.logo_url, "http://alpha.example/logo.png")
        same((gamma.title, gamma.description, gamma.logo_url), (GAMMA, "", None))

    with check("search_podcasts finds by a word, its beginning and a misspelling"):
        for query in ("alpha hour", "alph", "alpja", "ben"):
            same(urls(client.search_podcasts(query))[0], ALPHA)
        same(urls(client.search_podcasts("täglich")), [BETA])
        same(urls(client.search_podcasts("nothing like this")), [])

    with check("get_podcasts_of_a_tag returns as many podcasts as get_toptags counts"):
        tags = {tag.tag: tag.usage for tag in client.get_toptags()}
        same(tags, {"science-nature": 2, "ελληνικά": 1})
        same(len(client.get_toptags(1)), 1)
        same(urls(client.get_podcasts_of_a_tag("science-nature")), [ALPHA, BETA])
        same(urls(client.get_podcasts_of_a_tag("science-nature", 1)), [ALPHA])
        same(urls(client.get_podcasts_of_a_tag("unknown")), [])

    with check("get_podcast_data returns one podcast"):
        podcast = client.get_podcast_data(BETA)
        same((podcast.url, podcast.title, podcast.subscribers), (BETA, "Beta täglich", 2))
        same(urlsplit(podcast.mygpo_link).path, f"{urlsplit(ROOT).path}/podcast")
        raises(http.NotFound, client.get_podcast_data, "http://feeds.example/unknown")

    with check("get_episode_data returns one episode"):
        episode = client.get_episode_data(ALPHA, "http://media.example/alpha/2.mp3?from=feed")
        same((episode.title, episode.podcast_title, episode.podcast_url), ("The second", "Alpha Hour", ALPHA))
        same((episode.description, episode.website), ("More of it.", "http://alpha.example/2"))
        same(episode.released, "2023-11-14T22:13:20")
        bare = client.get_episode_data(ALPHA, "http://media.example/alpha/1.mp3")
        same((bare.title, bare.released), ("http://media.example/alpha/1.mp3", ""))
        raises(http.NotFound, client.get_episode_data, ALPHA, "http://media.example/alpha/3.mp3")

    with check("get_suggestions returns podcasts of others, and none that the account has"):
        account = Account("directory").client()
        account.put_subscriptions("phone", [ALPHA])
        suggested = urls(account.get_suggestions())
        same(suggested[:2], [BETA, GAMMA])
        same(ALPHA in suggested, False)
        account.put_subscriptions("laptop", [BETA])
        same(urls(account.get_suggestions(1)), [GAMMA])

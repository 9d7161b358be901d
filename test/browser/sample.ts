import sharp from 'sharp';
import type { EpisodeInfo } from '../../src/domain/types.ts';
import type { Fetcher } from '../../src/feeds/fetch.ts';
import type { ParsedFeed } from '../../src/feeds/parse.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../server.ts';

/*
 * A server as it looks after a few months of use: invented podcasts, and alice, who listens to them on three devices.
 */

const DAY = 86_400;
const NOW = 1_764_000_000;

interface Sample {
  slug: string;
  title: string;
  author: string;
  description: string;
  tags: string[];
  colours: [string, string];
  minutes: number;
  episodes: string[];
}

const PODCASTS: Sample[] = [
  {
    slug: 'slow-trains',
    title: 'Slow Trains',
    author: 'Marta Lindqvist',
    description: 'One railway line an episode, ridden from end to end, with the people who keep it running.',
    tags: ['Travel', 'Society'],
    colours: ['#1f6f8b', '#99ddcc'],
    minutes: 47,
    episodes: [
      'The night ferry',
      'A station without a town',
      'Up the rack railway',
      'The last signal box',
      'Narrow gauge',
    ],
  },
  {
    slug: 'kernel-hour',
    title: 'The Kernel Hour',
    author: 'Idris Okafor',
    description: 'Conversations about operating systems for people who like to know what happens underneath.',
    tags: ['Technology'],
    colours: ['#2b2d42', '#ef233c'],
    minutes: 62,
    episodes: [
      'What fsync promises',
      'Schedulers, again',
      'A page cache story',
      'Reading the boot log',
      'Clocks that run backwards',
    ],
  },
  {
    slug: 'bread-and-salt',
    title: 'Bread & Salt',
    author: 'Leyla Demir',
    description: 'Kitchens of the world and the families behind them.',
    tags: ['Food', 'Society'],
    colours: ['#c8553d', '#f5d547'],
    minutes: 34,
    episodes: ['Forty years of flatbread', 'The olive press', 'Tea for eleven', 'A market at four in the morning'],
  },
  {
    slug: 'deep-field',
    title: 'Deep Field',
    author: 'Observatory Radio',
    description: 'Astronomy, patiently explained.',
    tags: ['Science'],
    colours: ['#0b132b', '#5bc0be'],
    minutes: 41,
    episodes: [
      'The oldest light',
      'Weather on brown dwarfs',
      'Counting galaxies',
      'A comet for breakfast',
      'Dark nights',
    ],
  },
  {
    slug: 'second-draft',
    title: 'Second Draft',
    author: 'Noor Haddad & Tom Reyes',
    description: 'Writers bring a page that did not work, and mend it.',
    tags: ['Arts', 'Books'],
    colours: ['#5e548e', '#e0b1cb'],
    minutes: 28,
    episodes: ['Cutting the first chapter', 'Who is speaking?', 'An ending too early', 'Dialogue without tags'],
  },
  {
    slug: 'long-ball',
    title: 'Long Ball',
    author: 'Terrace FM',
    description: 'Lower-league football and the towns around it.',
    tags: ['Sports'],
    colours: ['#2d6a4f', '#d8f3dc'],
    minutes: 55,
    episodes: ['Away in the rain', 'The groundskeeper', 'Promotion, somehow', 'A club owned by its supporters'],
  },
  {
    slug: 'tide-tables',
    title: 'Tide Tables',
    author: 'Harbour Audio',
    description: 'Stories from coasts: pilots, lighthouses, nets and storms.',
    tags: ['Documentary', 'Travel'],
    colours: ['#003049', '#fcbf49'],
    minutes: 39,
    episodes: ['The pilot boat', 'Lighthouse number nine', 'Fog', 'Mending nets'],
  },
  {
    slug: 'radio-al-waha',
    title: 'راديو الواحة',
    author: 'سلمى نصار',
    description: 'حكايات من المدن والواحات، مع موسيقى من كل مكان.',
    tags: ['Music'],
    colours: ['#7f4f24', '#ede0d4'],
    minutes: 31,
    episodes: ['أغاني الطريق', 'ليل المدينة', 'صوت العود'],
  },
  {
    slug: 'small-repairs',
    title: 'Small Repairs',
    author: 'Ines Ferreira',
    description: 'Things that broke, and how they were mended: radios, chairs, friendships.',
    tags: ['Society', 'Leisure'],
    colours: ['#bc4749', '#f2e8cf'],
    minutes: 22,
    episodes: ['The kitchen radio', 'A chair with three legs', 'Apologies', 'Zips'],
  },
];

const feedOf = (slug: string): string => `https://${slug}.example/feed.xml`;
const mediaOf = (slug: string, episode: number): string => `https://media.example/${slug}/${episode}.mp3`;
const lengthOf = (sample: Sample, episode: number): number => sample.minutes * 60 + ((episode * 137) % 600);

function toFeed(sample: Sample): ParsedFeed {
  const episodes = sample.episodes.map((title, number): EpisodeInfo => ({
    url: mediaOf(sample.slug, number),
    guid: `${sample.slug}-${number}`,
    title,
    description: `${title}. ${sample.description}`,
    website: `https://${sample.slug}.example/${number}`,
    releasedAt: NOW - number * 7 * DAY - sample.minutes * 1800,
    duration: lengthOf(sample, number),
  }));
  return {
    title: sample.title,
    author: sample.author,
    description: sample.description,
    website: `https://${sample.slug}.example/`,
    language: 'en',
    logoUrl: `https://${sample.slug}.example/logo.png`,
    tags: sample.tags,
    blocked: false,
    guid: null,
    movedTo: null,
    episodes,
  };
}

const logoOf = ({ slug, title, colours: [dark, light] }: Sample): Promise<Buffer> => {
  const turn = (slug.length * 47) % 180;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512">
<rect width="512" height="512" fill="${dark}"/>
<g transform="rotate(${turn} 256 256)" fill="${light}"><circle cx="150" cy="150" r="120" opacity=".9"/><rect x="270" y="250" width="190" height="190" rx="40" opacity=".55"/></g>
<text x="256" y="330" font-family="sans-serif" font-weight="bold" font-size="220" text-anchor="middle" fill="#fff">${[...title][0]}</text></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
};

const fetcher: Fetcher = {
  async fetchFeed(url) {
    const sample = PODCASTS.find(({ slug }) => feedOf(slug) === url);
    return sample ? { kind: 'fetched', feed: toFeed(sample) } : { kind: 'failed', message: 'the host is unknown' };
  },
  async fetchImage(url) {
    return logoOf(PODCASTS.find(({ slug }) => url.includes(slug))!);
  },
  close: async () => undefined,
};

const FEED = encodeURIComponent(feedOf('slow-trains'));

/** The main pages of somebody who is signed in. */
export const PAGES = {
  home: '/',
  subscriptions: '/subscriptions',
  podcast: `/podcast?url=${FEED}`,
  episode: `/episode?podcast=${FEED}&url=${encodeURIComponent(mediaOf('slow-trains', 1))}`,
  history: '/history',
  favorites: '/favorites',
  statistics: '/statistics',
  devices: '/devices',
  device: '/device?id=phone',
  lists: '/lists',
  list: '/lists/for-a-long-train-ride',
  directory: '/directory',
  import: '/subscriptions/import',
  settings: '/settings',
};

/** What everybody sees. */
export const SIGNED_OUT = {
  welcome: '/',
  login: '/login',
  register: '/register',
  podcast: PAGES.podcast,
  episode: PAGES.episode,
  directory: PAGES.directory,
  profile: '/user/alice',
  list: '/user/alice/lists/for-a-long-train-ride',
  missing: '/nowhere',
};

const AUTH = { auth: 'alice:secret' };

/** Opens a server with the sample data; `alice` has the password `secret`, and `new` has an account without data. */
export async function openSampleServer(options: TestServerOptions = {}): Promise<TestServer & { origin: string }> {
  const users = ['alice', 'bob', 'new'];
  const server = await openTestServer({ users, fetcher, ...options }, 'socket');
  const { request, clock, services } = server;
  const put = async (path: string, body: unknown, app: string, auth = AUTH): Promise<void> => {
    const headers = { 'user-agent': app };
    const answer = await request(path.startsWith('/sub') ? 'PUT' : 'POST', path, { ...auth, headers, body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };

  clock.now = NOW - 120 * DAY;
  const feeds = PODCASTS.map(({ slug }) => feedOf(slug));
  const devices = [
    ['phone', 'Pixel', 'mobile', 'AntennaPod/3.6.0'],
    ['laptop', 'Work laptop', 'laptop', 'gPodder/3.11.4'],
    ['kitchen', 'Kitchen tablet', 'other', 'Kasts/24.08'],
  ] as const;
  for (const [id, caption, type, app] of devices) {
    await put(`/api/2/devices/alice/${id}.json`, { caption, type }, app);
    await put(`/subscriptions/alice/${id}.json`, id === 'kitchen' ? feeds.slice(0, 4) : feeds, app);
  }
  await put('/subscriptions/bob/phone.json', feeds.slice(2, 7), 'AntennaPod/3.6.0', { auth: 'bob:secret' });
  await services.feeds.update('all');

  // A few plays on most days, more in the evening and at weekends; some episodes are left unfinished.
  const actions: unknown[] = [];
  for (let day = 100; day >= 0; day -= 1) {
    const plays = [1, 2, 0, 1, 2, 3, 2][day % 7]!;
    for (let play = 0; play < plays; play += 1) {
      const sample = PODCASTS[(day * 3 + play * 5) % PODCASTS.length]!;
      const episode = (day + play) % sample.episodes.length;
      const total = lengthOf(sample, episode);
      const isFinished = (day + play) % 4 !== 0;
      const position = isFinished ? total : Math.round(total * (0.2 + ((day * 7 + play) % 6) / 10));
      actions.push({
        podcast: feedOf(sample.slug),
        episode: mediaOf(sample.slug, episode),
        device: devices[(day + play) % 3]![0],
        action: 'play',
        timestamp: new Date((NOW - day * DAY - ((play * 5 + day) % 9) * 3600) * 1000).toISOString().slice(0, 19),
        started: 0,
        position,
        total,
      });
    }
  }
  clock.now = NOW;
  await put('/api/2/episodes/alice.json', actions, 'AntennaPod/3.6.0');
  for (const [id, , , app] of devices) {
    await request('GET', `/api/2/subscriptions/alice/${id}.json?since=0`, { ...AUTH, headers: { 'user-agent': app } });
  }
  for (const [slug, episode] of [
    ['slow-trains', 0],
    ['deep-field', 2],
  ] as const) {
    const scope = new URLSearchParams({ podcast: feedOf(slug), episode: mediaOf(slug, episode) }).toString();
    const body = { set: { is_favorite: true } };
    await request('POST', `/api/2/settings/alice/episode.json?${scope}`, { ...AUTH, body });
  }
  const list = { title: 'For a long train ride' };
  await request('POST', `/api/2/lists/alice/create.json?title=${encodeURIComponent(list.title)}`, {
    ...AUTH,
    body: feeds.slice(0, 5),
  });
  return server as TestServer & { origin: string };
}

import fc from 'fast-check';
import { corrupt, oddValue, writeJson } from './odd-json.ts';
import { device, plainDevice, plainText, plainUrl, text, url } from './text.ts';

/** A body as text, and its media type if that matters. */
export interface BodyText {
  text: string;
  type?: string;
}

// ---- JSON ------------------------------------------------------------------

const PLAIN: Record<'url' | 'device' | 'text', fc.Arbitrary<string>> = {
  url: plainUrl,
  device: plainDevice,
  text: plainText,
};

/** Uploads in the right format, with the given values. */
function uploadsWith({ url, device, text }: typeof PLAIN) {
  const play = fc.record(
    { podcast: url, episode: url, action: fc.constant('play'), device, guid: text, timestamp: fc.nat(2_000_000_000) },
    { requiredKeys: ['podcast', 'episode', 'action'] },
  );
  return {
    actions: fc.array(play, { maxLength: 5 }),
    delta: fc.uniqueArray(url, { maxLength: 6 }).map((feeds) => ({ add: feeds.slice(2), remove: feeds.slice(0, 2) })),
    list: fc.array(fc.oneof(url, fc.record({ url }), fc.record({ feed: url })), { maxLength: 6 }),
    patch: fc.record({ caption: text, type: fc.constantFrom('desktop', 'mobile', 'other') }, { requiredKeys: [] }),
    groups: fc
      .uniqueArray(device, { minLength: 2, maxLength: 3 })
      .map((ids) => ({ synchronize: [ids], 'stop-synchronize': [] })),
    settings: fc.record({ set: fc.dictionary(fc.oneof(text, key), fc.jsonValue()), remove: fc.array(text) }),
    urls: fc.array(url, { maxLength: 6 }),
  };
}

const key = fc.constantFrom('is_favorite', 'sync_devices', '__proto__', 'constructor');
const seconds = fc.oneof(fc.nat(7200), fc.constantFrom(-1, 2 ** 31 - 1, '60', '00:01:00', null));
/** Every field, valid or not. */
const action = fc.record(
  {
    podcast: url,
    episode: url,
    action: fc.constantFrom('play', 'download', 'delete', 'new', 'PLAY', 'tip'),
    device,
    timestamp: fc.constantFrom('2024-05-06T07:08:09', '2024-05-06 07:08:09.1Z', '2024-02-30T00:00:00', '', null, 1e15),
    started: seconds,
    position: seconds,
    total: seconds,
  },
  { requiredKeys: ['podcast', 'episode', 'action'] },
);

const plain = uploadsWith(PLAIN);
const odd = uploadsWith({ url, device, text });
const any = { ...odd, actions: fc.array(fc.oneof(action, odd.actions), { maxLength: 5 }) };

const json = (upload: keyof typeof plain): fc.Arbitrary<BodyText> =>
  fc
    .oneof(
      { weight: 4, arbitrary: plain[upload].map(writeJson) },
      { weight: 2, arbitrary: any[upload].map(writeJson) },
      { weight: 2, arbitrary: fc.tuple(any[upload], fc.nat(), oddValue).map((parts) => writeJson(corrupt(...parts))) },
      { weight: 1, arbitrary: oddValue.map(writeJson) },
    )
    .map((text) => ({ text }));

// ---- lists -----------------------------------------------------------------

const txt = fc
  .tuple(fc.oneof(plain.urls, any.urls), fc.constantFrom('\n', '\r\n', '\n\n'))
  .map(([urls, end]) => ({ text: urls.join(end) }));

const attribute = (value: string): string => value.replace(/[&"<]/g, (char) => `&#${char.codePointAt(0)};`);
const outline = fc.tuple(url, fc.constantFrom('rss', 'link', 'RSS', ''), fc.boolean()).map(([feed, type, asUrl]) => {
  return `<outline text="x" type="${type}" ${asUrl ? 'url' : 'xmlUrl'}="${attribute(feed)}"/>`;
});
const BROKEN = [
  '<outline text="folder">',
  '</outline>',
  '<outline>'.repeat(300),
  '<outline __proto__="1" constructor="2"/>',
  '<outline xmlUrl="http://example.org/a" xmlUrl="http://example.org/b"/>',
  '<outline xmlUrl=http://example.org/a>',
  '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
  '<!-- ',
  '<![CDATA[',
  '&bomb;&#0;&#xd800;',
  '<?xml version="1.0"?>',
  '</opml>',
  '<__proto__>',
];
const broken = fc.oneof(fc.constantFrom(...BROKEN), text);
const opml = fc
  .array(fc.oneof({ weight: 12, arbitrary: outline }, { weight: 1, arbitrary: broken }), { maxLength: 8 })
  .map((parts) => ({ text: `<opml version="2.0"><head><title>x</title></head><body>${parts.join('')}</body></opml>` }));

// ---- forms -----------------------------------------------------------------

const fields = fc
  .record(
    {
      username: fc.oneof(fc.constant('bob'), text),
      password: fc.constantFrom('secret', 'guess'),
      again: fc.constantFrom('secret', ''),
      action: fc.constant('update-subscriptions'),
      protocol: fc.constantFrom('0', '0', '1'),
      opml: opml.map((each) => each.text),
      name: fc.oneof(plainText, text),
      email: text,
      token: text,
      label: fc.oneof(plainText, text),
      flow: text,
      csrf: fc.oneof(fc.constant('known'), text),
    },
    { requiredKeys: ['username', 'password', 'action', 'protocol', 'opml'] },
  )
  .map((record) => Object.entries(record).filter((pair): pair is [string, string] => pair[1] !== undefined));

const form: fc.Arbitrary<BodyText> = fc.oneof(
  fields.map((pairs) => ({
    text: `${new URLSearchParams(pairs)}`,
    type: 'application/x-www-form-urlencoded',
  })),
  fields.map((pairs) => ({
    text: `${pairs.map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--x--\r\n`,
    type: 'multipart/form-data; boundary=x',
  })),
);

/** The bodies that a path accepts: the first pattern that matches. */
const BY_PATH: [pattern: RegExp, body: fc.Arbitrary<BodyText>][] = [
  [/^\/api\/\d\/episodes\//, json('actions')],
  [/^\/api\/\d\/subscriptions\//, json('delta')],
  [/^\/api\/\d\/devices\//, json('patch')],
  [/^\/api\/\d\/sync-devices\//, json('groups')],
  [/^\/api\/\d\/settings\//, json('settings')],
  [/\/episode_action\//, json('actions')],
  [/\/subscription_change\//, json('delta')],
  [/^\/(?:upload|register|authorize|settings|index.php\/login)/, form],
  [/\.txt$/, txt],
  [/\.opml$/, opml],
  [/\.json$/, json('list')],
];
const anything = fc.oneof(
  text.map((each): BodyText => ({ text: each })),
  ...BY_PATH.map(([, body]) => body),
);

/** Bodies for a path of the route table that ends in `.format`, most of them in the right format. */
export const bodyTextFor = (path: string): fc.Arbitrary<BodyText> =>
  fc.oneof(
    { weight: 14, arbitrary: BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? anything },
    { weight: 1, arbitrary: anything },
  );

/**
 * The tables: those of a user first; then podcasts and what hangs from them, which belong to nobody.
 *
 * `stamp` and `place` tell which upload a row came with, and where in it: together they are the order of upload. A text
 * that a client may have cut in half is of type ANY: see `toColumn`.
 */
export const SCHEMA = `
  -- noted: up to this stamp the actions are in \`acted\`.
  CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    email TEXT,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    noted INTEGER NOT NULL DEFAULT -1
  ) STRICT;

  CREATE TABLE logins (
    login TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX logins_of_user ON logins (user_id);

  CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_of_user ON sessions (user_id);
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE devices (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    id TEXT NOT NULL,
    caption ANY NOT NULL,
    type TEXT NOT NULL,
    place INTEGER NOT NULL,
    group_number INTEGER,
    PRIMARY KEY (user_id, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE subscriptions (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    device TEXT NOT NULL,
    url TEXT NOT NULL,
    subscribed INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    place INTEGER NOT NULL,
    first_stamp INTEGER NOT NULL,
    first_place INTEGER NOT NULL,
    PRIMARY KEY (user_id, device, url)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX subscriptions_by_stamp ON subscriptions (user_id, device, stamp, place);
  CREATE INDEX subscriptions_by_url ON subscriptions (user_id, url, subscribed);

  -- The one table that refers to no user: it would take seconds to remove a long history with its user.
  CREATE TABLE actions (
    user_id INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    place INTEGER NOT NULL,
    podcast TEXT NOT NULL,
    episode TEXT NOT NULL,
    device TEXT,
    guid ANY,
    action TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    position INTEGER,
    started INTEGER,
    total INTEGER,
    fingerprint TEXT NOT NULL,
    uploaded_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, stamp, place)
  ) STRICT, WITHOUT ROWID;
  -- By time first, so that what is uploaded together lies together: a random page for each action would be slow.
  CREATE UNIQUE INDEX actions_by_fingerprint ON actions (user_id, timestamp, fingerprint);

  -- Accounts that are gone, and their actions are not yet.
  CREATE TABLE removed_users (id INTEGER PRIMARY KEY) STRICT;

  -- Accounts that are being imported: of those only the actions are there yet.
  CREATE TABLE arriving_users (id INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE uploads (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    stamp INTEGER NOT NULL,
    at INTEGER NOT NULL,
    origin TEXT,
    PRIMARY KEY (user_id, stamp)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE settings (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    key ANY NOT NULL,
    value TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, scope, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX settings_by_key ON settings (user_id, kind, key);

  CREATE TABLE lists (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    title ANY NOT NULL,
    place INTEGER NOT NULL,
    urls TEXT NOT NULL,
    PRIMARY KEY (user_id, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE podcasts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    author TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    website TEXT NOT NULL DEFAULT '',
    logo_url TEXT,
    logo_hash TEXT,
    language TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    subscribers INTEGER NOT NULL DEFAULT 0,
    etag TEXT,
    last_modified TEXT,
    interval_seconds INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    fetched_at INTEGER,
    error TEXT,
    claimed_until INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX podcasts_by_rank ON podcasts (subscribers DESC, url) WHERE subscribers > 0;
  CREATE INDEX podcasts_due ON podcasts (next_at, url) WHERE subscribers > 0 AND next_at IS NOT NULL;
  CREATE INDEX podcasts_by_logo ON podcasts (logo_hash) WHERE logo_hash IS NOT NULL;

  -- Every URL that a podcast ever had, the one that it is shown under too.
  CREATE TABLE podcast_urls (
    url TEXT PRIMARY KEY,
    podcast_id INTEGER NOT NULL REFERENCES podcasts ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX podcast_urls_of_podcast ON podcast_urls (podcast_id);

  -- Who subscribes to a podcast on any device, under any of its URLs.
  CREATE TABLE followers (
    user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    podcast_id INTEGER NOT NULL REFERENCES podcasts,
    PRIMARY KEY (user_id, podcast_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX followers_of_podcast ON followers (podcast_id, user_id);
  CREATE TRIGGER follower_added AFTER INSERT ON followers BEGIN
    UPDATE podcasts SET subscribers = subscribers + 1 WHERE id = NEW.podcast_id;
  END;
  CREATE TRIGGER follower_removed AFTER DELETE ON followers BEGIN
    UPDATE podcasts SET subscribers = subscribers - 1 WHERE id = OLD.podcast_id;
  END;

  -- As first seen, and how many podcasts have it.
  CREATE TABLE tags (
    slug TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    usage INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tags_by_usage ON tags (usage DESC, slug) WHERE usage > 0;

  CREATE TABLE podcast_tags (
    slug TEXT NOT NULL REFERENCES tags,
    podcast_id INTEGER NOT NULL REFERENCES podcasts ON DELETE CASCADE,
    PRIMARY KEY (slug, podcast_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX podcast_tags_of_podcast ON podcast_tags (podcast_id);
  CREATE TRIGGER tag_added AFTER INSERT ON podcast_tags BEGIN
    UPDATE tags SET usage = usage + 1 WHERE slug = NEW.slug;
  END;
  CREATE TRIGGER tag_removed AFTER DELETE ON podcast_tags BEGIN
    UPDATE tags SET usage = usage - 1 WHERE slug = OLD.slug;
  END;

  CREATE TABLE episodes (
    id INTEGER PRIMARY KEY,
    podcast_id INTEGER NOT NULL REFERENCES podcasts,
    url TEXT NOT NULL,
    guid TEXT,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    website TEXT NOT NULL,
    released_at INTEGER,
    stamp INTEGER NOT NULL,
    place INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX episodes_by_release ON episodes (podcast_id, ifnull(released_at, 0) DESC, stamp DESC, place);
  CREATE INDEX episodes_by_stamp ON episodes (podcast_id, stamp);
  CREATE INDEX episodes_by_guid ON episodes (podcast_id, guid) WHERE guid IS NOT NULL;

  -- Every URL that an episode ever had.
  CREATE TABLE episode_urls (
    podcast_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    episode_id INTEGER NOT NULL REFERENCES episodes ON DELETE CASCADE,
    PRIMARY KEY (podcast_id, url)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX episode_urls_of_episode ON episode_urls (episode_id);

  -- Names of the episodes that anyone ever acted on, URL or GUID, shortened to a CRC-32: see acted.ts.
  CREATE TABLE acted (
    podcast_id INTEGER NOT NULL REFERENCES podcasts ON DELETE CASCADE,
    name INTEGER NOT NULL,
    PRIMARY KEY (podcast_id, name)
  ) STRICT, WITHOUT ROWID;

  -- The newest stamp of any episode, in one row.
  CREATE TABLE directory (stamp INTEGER NOT NULL) STRICT;
  INSERT INTO directory VALUES (0);

  CREATE TABLE toplists (
    at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    podcast_id INTEGER NOT NULL REFERENCES podcasts,
    PRIMARY KEY (at, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX toplists_of_podcast ON toplists (podcast_id);

  -- Terms, as terms.ts makes them, joined by blanks. The row is that of the podcast.
  CREATE VIRTUAL TABLE search_index USING fts5 (
    title, author, tags, description, url,
    content = '', contentless_delete = 1, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
  );
  -- Every word that was ever in there, to tell which ones a misspelling may mean.
  CREATE TABLE search_words (
    word TEXT PRIMARY KEY,
    reversed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX search_words_reversed ON search_words (reversed);
`;

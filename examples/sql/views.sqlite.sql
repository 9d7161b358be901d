-- Views of what podsync stores in SQLite, for people and for reports. Run it once, and again after an upgrade:
--
--   sqlite3 podsync-data/podsync.sqlite < views.sqlite.sql
--   sqlite3 podsync-data/podsync.sqlite "SELECT podcast, count(*) FROM episode_actions WHERE account = 'alice' GROUP BY podcast"
--
-- podsync may be running. Do not write to the tables. Times are in UTC.

BEGIN;
DROP VIEW IF EXISTS episode_actions;
DROP VIEW IF EXISTS subscriptions;
DROP VIEW IF EXISTS devices;
DROP VIEW IF EXISTS accounts;

CREATE VIEW accounts AS
SELECT
  substr(key, 3, length(key) - 7) AS id,
  value ->> 'name' AS name,
  value ->> 'email' AS email,
  datetime(value ->> 'createdAt', 'unixepoch') AS created_at,
  value ->> 'stamp' AS newest_stamp
FROM entries
WHERE key >= 'u/' AND key < 'u0' AND key LIKE 'u/%/head';

CREATE VIEW devices AS
SELECT
  accounts.name AS account,
  item.value ->> 'id' AS device,
  item.value ->> 'caption' AS caption,
  item.value ->> 'type' AS type,
  item.value ->> 'group' AS synchronized_group,
  accounts.id AS account_id,
  item.value ->> 'number' AS number
FROM accounts
JOIN entries ON entries.key >= 'u/' || accounts.id || '/devices/' AND entries.key < 'u/' || accounts.id || '/devices0'
JOIN json_each(entries.value) AS item;

-- The last state of each feed on each device: a list, and a log of the changes since it was written.
CREATE VIEW subscriptions AS
SELECT account, device, url, datetime(stamp, 'unixepoch') AS changed_at
FROM (
  SELECT
    account,
    device,
    item.value ->> 0 AS url,
    max(item.value ->> 1) AS stamp, -- the other columns are those of the row with the highest stamp
    json_array_length(item.value) = 3 AS is_subscribed
  FROM devices
  JOIN entries
    ON entries.key >= printf('u/%s/subscriptions/%06d/', account_id, number)
    AND entries.key < printf('u/%s/subscriptions/%06d0', account_id, number)
  JOIN json_each(entries.value) AS item
  GROUP BY account_id, number, item.value ->> 0
)
WHERE is_subscribed;

-- A column of a batch of actions is an array, or a single value if all have the same. A podcast is an index in `podcasts`.
CREATE VIEW episode_actions AS
SELECT
  accounts.name AS account,
  entries.value -> 'podcasts' ->> iif(json_type(entries.value, '$.podcast') = 'array', entries.value -> 'podcast' ->> episode.key, entries.value ->> 'podcast') AS podcast,
  episode.value AS episode,
  iif(json_type(entries.value, '$.device') = 'array', entries.value -> 'device' ->> episode.key, entries.value ->> 'device') AS device,
  iif(json_type(entries.value, '$.action') = 'array', entries.value -> 'action' ->> episode.key, entries.value ->> 'action') AS action,
  datetime(entries.value ->> 'at' - iif(json_type(entries.value, '$.age') = 'array', entries.value -> 'age' ->> episode.key, entries.value ->> 'age'), 'unixepoch') AS happened_at,
  iif(json_type(entries.value, '$.started') = 'array', entries.value -> 'started' ->> episode.key, entries.value ->> 'started') AS started,
  iif(json_type(entries.value, '$.position') = 'array', entries.value -> 'position' ->> episode.key, entries.value ->> 'position') AS position,
  iif(json_type(entries.value, '$.total') = 'array', entries.value -> 'total' ->> episode.key, entries.value ->> 'total') AS total,
  iif(json_type(entries.value, '$.guid') = 'array', entries.value -> 'guid' ->> episode.key, entries.value ->> 'guid') AS guid,
  datetime(entries.value ->> 'at', 'unixepoch') AS uploaded_at
FROM accounts
JOIN entries ON entries.key >= 'l/' || accounts.id || '/' AND entries.key < 'l/' || accounts.id || '0'
JOIN json_each(entries.value, '$.episode') AS episode;
COMMIT;

-- Views of what podsync stores in PostgreSQL, for people and for reports. Run it once, and again after an upgrade:
--
--   psql postgres://podsync:secret@db.example.org/podsync -f views.sql
--   psql ... -c "SELECT podcast, count(*) FROM podsync.episode_actions WHERE account = 'alice' GROUP BY podcast"
--
-- Do not write to the tables: podsync caches accounts and does not notice changes by others. Times are in UTC.

BEGIN;
CREATE SCHEMA IF NOT EXISTS podsync;

-- PostgreSQL has no text with U+0000 or half a surrogate pair, which podsync stores as escapes: they become U+FFFD.
CREATE OR REPLACE FUNCTION podsync.parse(value text) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN strpos(value, '\u') = 0 THEN value
    ELSE regexp_replace(value, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)', '\1\\ufffd', 'g') END::jsonb
$$;

-- A column of a batch of actions is an array, or a single value if all have the same. A podcast is an index in `podcasts`.
CREATE OR REPLACE FUNCTION podsync.item(batch jsonb, name text, place integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE jsonb_typeof(batch -> name) WHEN 'array' THEN batch -> name ->> place ELSE batch ->> name END
$$;

CREATE OR REPLACE VIEW podsync.accounts AS
SELECT
  split_part(key, '/', 2) AS id,
  head ->> 'name' AS name,
  head ->> 'email' AS email,
  to_timestamp((head ->> 'createdAt')::bigint) AT TIME ZONE 'UTC' AS created_at,
  (head ->> 'stamp')::bigint AS newest_stamp
FROM entries
CROSS JOIN LATERAL (SELECT podsync.parse(value) AS head OFFSET 0) AS parsed -- OFFSET: parsed once, not for each column
WHERE key >= 'u/' AND key < 'u0' AND key LIKE 'u/%/head';

CREATE OR REPLACE VIEW podsync.devices AS
SELECT
  accounts.name AS account,
  item ->> 'id' AS device,
  item ->> 'caption' AS caption,
  item ->> 'type' AS type,
  (item ->> 'group')::integer AS synchronized_group,
  accounts.id AS account_id,
  (item ->> 'number')::integer AS number
FROM podsync.accounts
JOIN entries ON key >= 'u/' || id || '/devices/' AND key < 'u/' || id || '/devices0'
CROSS JOIN jsonb_array_elements(podsync.parse(value)) AS item;

-- The last state of each feed on each device: a list, and a log of the changes since it was written.
CREATE OR REPLACE VIEW podsync.subscriptions AS
SELECT account, device, url, to_timestamp(stamp) AT TIME ZONE 'UTC' AS changed_at
FROM (
  SELECT DISTINCT ON (devices.account_id, devices.number, item ->> 0)
    account,
    device,
    item ->> 0 AS url,
    (item ->> 1)::bigint AS stamp,
    jsonb_array_length(item) = 3 AS is_subscribed
  FROM podsync.devices
  JOIN entries
    ON key >= 'u/' || account_id || '/subscriptions/' || lpad(number::text, 6, '0') || '/'
    AND key < 'u/' || account_id || '/subscriptions/' || lpad(number::text, 6, '0') || '0'
  CROSS JOIN jsonb_array_elements(podsync.parse(value)) AS item
  ORDER BY devices.account_id, devices.number, item ->> 0, (item ->> 1)::bigint DESC
) AS latest
WHERE is_subscribed;

CREATE OR REPLACE VIEW podsync.episode_actions AS
SELECT
  accounts.name AS account,
  batch -> 'podcasts' ->> podsync.item(batch, 'podcast', place)::integer AS podcast,
  podsync.item(batch, 'episode', place) AS episode,
  podsync.item(batch, 'device', place) AS device,
  podsync.item(batch, 'action', place) AS action,
  to_timestamp((batch ->> 'at')::bigint - podsync.item(batch, 'age', place)::bigint) AT TIME ZONE 'UTC' AS happened_at,
  podsync.item(batch, 'started', place)::integer AS started,
  podsync.item(batch, 'position', place)::integer AS position,
  podsync.item(batch, 'total', place)::integer AS total,
  podsync.item(batch, 'guid', place) AS guid,
  to_timestamp((batch ->> 'at')::bigint) AT TIME ZONE 'UTC' AS uploaded_at
FROM podsync.accounts
JOIN entries ON key >= 'l/' || id || '/' AND key < 'l/' || id || '0'
CROSS JOIN LATERAL (SELECT podsync.parse(value) AS batch OFFSET 0) AS parsed
CROSS JOIN LATERAL generate_series(0, jsonb_array_length(batch -> 'episode') - 1) AS place;
COMMIT;

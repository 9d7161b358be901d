import { DOUBT, PEOPLE_ASKED } from '../directory-rules.ts';
import { PODCAST } from './podcast-row.ts';

/** Subscriptions of others that are looked at to find these people, those to the rarest feeds first. */
const LOOKED_AT = 20_000;

/** Never what the user has. */
const NEWS = 'podcasts.id NOT IN (SELECT podcast_id FROM followers WHERE user_id = @user)';

const POPULARITY = 'subscribers DESC, podcasts.url LIMIT @limit';

/**
 * Each person counts by how much they share with the user: a feed that few have says more than one that everybody has.
 * And what everybody has anyway is suggested less. Rounded, as sums in another order differ in their last digits.
 */
const SHARED_BY_PEOPLE = `
  WITH own AS (
    SELECT id, subscribers, sum(subscribers) OVER (ORDER BY subscribers, id) - subscribers AS before
    FROM followers JOIN podcasts ON podcasts.id = podcast_id WHERE user_id = @user
  ), near AS (
    SELECT followers.user_id AS person, round(sum(1.0 / own.subscribers), 9) AS nearness
    FROM own JOIN followers ON followers.podcast_id = own.id
    WHERE own.before < ${LOOKED_AT} AND followers.user_id <> @user
    GROUP BY followers.user_id ORDER BY nearness DESC, person LIMIT ${PEOPLE_ASKED}
  )
  SELECT ${PODCAST} FROM near JOIN followers ON followers.user_id = person JOIN podcasts ON podcasts.id = podcast_id
  WHERE ${NEWS}
  GROUP BY podcasts.id ORDER BY round(sum(nearness) / (subscribers + ${DOUBT}), 9) DESC, ${POPULARITY}`;

const SHARED_BY_TAGS = `
  WITH wanted AS (
    SELECT DISTINCT slug FROM followers JOIN podcast_tags USING (podcast_id) WHERE user_id = @user
  )
  SELECT ${PODCAST} FROM wanted JOIN podcast_tags USING (slug) JOIN podcasts ON podcasts.id = podcast_id
  WHERE ${NEWS}
  GROUP BY podcasts.id ORDER BY count(*) DESC, ${POPULARITY}`;

const POPULAR = `SELECT ${PODCAST} FROM podcasts WHERE subscribers > 0 AND ${NEWS} ORDER BY ${POPULARITY}`;

/** What a user might like, `@limit` of each: what like-minded people have, what has the same tags, what everybody has. */
export const SUGGESTIONS = [SHARED_BY_PEOPLE, SHARED_BY_TAGS, POPULAR];

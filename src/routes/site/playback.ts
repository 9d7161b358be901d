import { invalid } from '../../domain/errors.ts';
import { MAX_POSITION } from '../../domain/position.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import type { Form } from '../../http/form.ts';
import { episodePage } from '../../pages/parts/links.ts';
import type { NamedEpisode } from '../../services/listening/playback.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { type Site, toLocalPath } from './site.ts';

/** The forms for an episode, on its page and that of its podcast, and the uploads of the player. */
export function createPlaybackForms(
  { playback }: Pick<Services, 'playback'>,
  site: Site,
): Record<'played' | 'new' | 'favorite' | 'unfavorite' | 'progress', Handler> {
  const submitted = (change: (user: UserId, episode: NamedEpisode) => Promise<void>): Handler =>
    site.submitted(async (event, user, fields) => {
      const episode = readEpisode(fields);
      await change(user.id, episode);
      return site.redirect(event, toLocalPath(fields.get('next') ?? episodePage('', episode.podcast, episode.url)));
    });

  return {
    played: submitted((user, episode) => playback.markPlayed(user, episode)),
    new: submitted((user, episode) => playback.markNew(user, episode)),
    favorite: submitted((user, episode) => playback.setFavorite(user, episode, true)),
    unfavorite: submitted((user, episode) => playback.setFavorite(user, episode, false)),

    progress: site.submitted(async (_event, user, fields) => {
      const position = readSeconds(fields, 'position');
      if (position === undefined) throw invalid('"position" is missing');
      const started = readSeconds(fields, 'started') ?? position;
      const times = { started, position, total: readSeconds(fields, 'total') };
      await playback.play(user.id, readEpisode(fields), times, readSeconds(fields, 'age'));
      return { status: 204 };
    }),
  };
}

const readEpisode = (fields: Form): NamedEpisode => ({
  podcast: fields.get('podcast') ?? '',
  url: fields.get('url') ?? '',
});

/** Undefined if the field is empty or missing. */
function readSeconds(fields: Form, name: string): Seconds | undefined {
  const text = fields.get(name) ?? '';
  if (text === '') return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_POSITION) return Number(text);
  throw invalid(`"${name}" must be whole seconds from 0 to ${MAX_POSITION}`);
}

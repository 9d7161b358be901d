import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACTION_TYPES, type EpisodeAction } from '../../src/domain/types.ts';
import { ActionTable } from '../../src/services/listening/action-table.ts';
import { seed } from '../seed.ts';

const name = (kind: string): fc.Arbitrary<string> => fc.nat(3).map((n) => `http://${kind}.example/${n}`);

/** Few names and times, so that all combinations occur. */
const action: fc.Arbitrary<EpisodeAction> = fc
  .record({
    podcast: name('feeds'),
    episode: name('media'),
    device: fc.option(fc.constantFrom('phone', 'tv'), { nil: undefined }),
    action: fc.constantFrom(...ACTION_TYPES),
    timestamp: fc.nat(20),
    position: fc.option(fc.nat(120), { nil: undefined }),
    times: fc.option(fc.record({ started: fc.nat(120), total: fc.nat(120) }), { nil: undefined }),
  })
  .map(({ device, position, times, ...fields }) => ({
    ...fields,
    ...(device !== undefined && { device }),
    ...(fields.action === 'play' && position !== undefined && { play: { position, ...times } }),
  }));

const batches = fc.array(fc.array(action, { maxLength: 12 }), { maxLength: 8 });

function fill(uploads: readonly EpisodeAction[][]): { table: ActionTable; byTime: EpisodeAction[] } {
  const table = new ActionTable();
  for (const upload of uploads) table.add(upload);
  return { table, byTime: uploads.flat().toSorted((a, b) => a.timestamp - b.timestamp) };
}

it('lists every action by time, then in upload order', () => {
  fc.assert(
    fc.property(batches, fc.nat(22), fc.nat(22), (uploads, from, until) => {
      const { table, byTime } = fill(uploads);
      const read = (rows: Iterable<number>): EpisodeAction[] => Array.from(rows, (row) => table.actionAt(row));
      expect(read(table.rows())).toEqual(byTime);
      const wanted = byTime.filter(({ timestamp }) => timestamp >= from && timestamp < until);
      expect(read(table.rows(from, until))).toEqual(wanted);
    }),
    { seed },
  );
});

it('an episode is in progress if its last action, downloads aside, is a play that stopped before the end', () => {
  fc.assert(
    fc.property(batches, (uploads) => {
      const { table, byTime } = fill(uploads);
      const states = new Map<string, EpisodeAction>();
      const totals = new Map<string, number>();
      for (const each of byTime) {
        const key = `${each.podcast} ${each.episode}`;
        if (each.action !== 'download' && !(each.action === 'play' && !each.play)) {
          states.delete(key);
          states.set(key, each);
        }
      }
      for (const { podcast, episode, play } of uploads.flat()) {
        if (play?.total) totals.set(`${podcast} ${episode}`, play.total);
      }
      const expected = [...states].toReversed().flatMap(([key, { podcast, episode, device, timestamp, play }]) => {
        const total = totals.get(key);
        const isShort = play && play.position > 0 && (total === undefined || total - play.position >= 30);
        return isShort ? [{ podcast, episode, device, at: timestamp, position: play.position, total }] : [];
      });
      const describe = (number: number) => {
        const { podcast, episode } = table.referenceOf(number);
        const { device, at, position, total } = table.stateOf([number])!;
        return { podcast, episode, device, at, position, total };
      };
      expect(table.inProgress(100).map(describe)).toEqual(expected);
      expect(table.inProgress(2).map(describe)).toEqual(expected.slice(0, 2));
    }),
    { seed },
  );
});

it('the state of an episode under several names is that of the same actions under one name', () => {
  fc.assert(
    fc.property(batches, (uploads) => {
      const one = { podcast: 'http://feeds.example/0', episode: 'http://media.example/0' };
      const { table } = fill(uploads);
      const { table: expected } = fill(uploads.map((upload) => upload.map((each) => ({ ...each, ...one }))));
      const numbers = table.podcasts.flatMap((podcast) => [...table.episodesOf(podcast).values()]);
      // Names may report several lengths: that of the newest action counts.
      const read = (from: ActionTable, of: number[]) => ({ ...from.stateOf(of), number: 0, total: 0 });
      expect(read(table, numbers)).toEqual(read(expected, numbers.slice(0, 1).fill(0)));
    }),
    { seed },
  );
});

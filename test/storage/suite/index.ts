/**
 * The entry point for authors of storage plugins who want to know whether theirs keeps the contract: every rule of
 * `podsync/plugin` is a test here, without options and without exceptions.
 */
import { actionTests } from './actions.ts';
import { appLoginTests } from './app-logins.ts';
import { appNoteTests } from './app-notes.ts';
import { appPasswordTests } from './app-passwords.ts';
import { appTests } from './apps.ts';
import { attemptTests } from './attempts.ts';
import { atomicityTests } from './atomicity.ts';
import { openBench, type OwnedBench, type Runner, type Subject, type Suite } from './bench.ts';
import { boundedTests } from './bounded.ts';
import { concurrencyTests } from './concurrency.ts';
import { deviceTests } from './devices.ts';
import { discoveryTests } from './discovery.ts';
import { durabilityTests } from './durability.ts';
import { feedEpisodeTests } from './feed-episodes.ts';
import { feedTests } from './feeds.ts';
import { followingTests } from './following.ts';
import { followerTests } from './followers.ts';
import { groupTests } from './groups.ts';
import { historyTests } from './history.ts';
import { keptEpisodeTests } from './kept-episodes.ts';
import { listingTests } from './listing.ts';
import { listTests } from './lists.ts';
import { overlapTests } from './overlap.ts';
import { podcastTests } from './podcasts.ts';
import { searchTests } from './search.ts';
import { sessionTests } from './sessions.ts';
import { settingTests } from './settings.ts';
import { stampTests } from './stamps.ts';
import { subscriptionTests } from './subscriptions.ts';
import { transferDirectoryTests } from './transfer-directory.ts';
import { transferEpisodeTests } from './transfer-episodes.ts';
import { transferMergeTests } from './transfer-merge.ts';
import { transferSyncTests } from './transfer-sync.ts';
import { transferTests } from './transfer.ts';
import { userTests } from './users.ts';

export type { Runner, Subject } from './bench.ts';

const SUITES: Readonly<Record<string, Suite>> = {
  users: userTests,
  sessions: sessionTests,
  'app passwords': appPasswordTests,
  'logins of apps': appLoginTests,
  'notes on apps': appNoteTests,
  'attempts to log in and to register': attemptTests,
  devices: deviceTests,
  subscriptions: subscriptionTests,
  'episode actions': actionTests,
  'history of episode actions': historyTests,
  'groups of devices': groupTests,
  'devices that follow all others': followingTests,
  'apps without devices': followerTests,
  settings: settingTests,
  'podcast lists': listTests,
  podcasts: podcastTests,
  feeds: feedTests,
  'episodes of feeds': feedEpisodeTests,
  'episodes of feeds that are kept': keptEpisodeTests,
  'toplist, tags and suggestions': discoveryTests,
  'what the directory keeps': boundedTests,
  'what everybody is told of': listingTests,
  search: searchTests,
  stamps: stampTests,
  overlap: overlapTests,
  apps: appTests,
  atomicity: atomicityTests,
  concurrency: concurrencyTests,
  durability: durabilityTests,
  'accounts that move': transferTests,
  'what goes on after a move': transferSyncTests,
  'a directory that moves': transferDirectoryTests,
  'a directory that joins another': transferMergeTests,
  'episodes that join others': transferEpisodeTests,
};

/**
 * States the tests of the contract for one storage plugin, with any runner. `createSubject` is called before each test
 * and answers an empty backend; the data folder, the clock and the log of its `StorageContext` come from the suite.
 */
export function storageConformance(name: string, createSubject: () => Promise<Subject>, runner: Runner): void {
  runner.describe(`storage plugin ${name}`, () => {
    let bench: OwnedBench | undefined;
    runner.beforeEach(async () => {
      bench = await openBench(createSubject);
    });
    runner.afterEach(async () => {
      const used = bench;
      bench = undefined;
      await used?.close();
    });
    for (const [title, suite] of Object.entries(SUITES)) {
      runner.describe(title, () =>
        suite({
          describe: (what, body) => void runner.describe(what, body),
          test: (what, body) => void runner.it(what, () => body(bench!)),
        }),
      );
    }
  });
}

import { afterEach, beforeEach, describe, it } from 'vitest';
import { appLoginTests } from './accounts/app-logins.ts';
import { appNoteTests } from './accounts/app-notes.ts';
import { appPasswordTests } from './accounts/app-passwords.ts';
import { attemptTests } from './accounts/attempts.ts';
import { sessionTests } from './accounts/sessions.ts';
import { settingTests } from './accounts/settings.ts';
import { userDeletionTests } from './accounts/user-deletion.ts';
import { userTests } from './accounts/users.ts';
import { actionTests } from './actions.ts';
import { appTests } from './apps.ts';
import { atomicityTests } from './atomicity.ts';
import { openBench, type OwnedBench, type Subject, type Suite } from './bench.ts';
import { concurrencyTests } from './concurrency.ts';
import { deviceTests } from './devices.ts';
import { discoveryTests } from './directory/discovery.ts';
import { episodeIdentityTests } from './directory/episode-identity.ts';
import { feedEpisodeTests } from './directory/episodes.ts';
import { feedTests } from './directory/feeds.ts';
import { boundedTests } from './directory/limits.ts';
import { listingTests } from './directory/listing.ts';
import { mergedEpisodeTests } from './directory/merged-episodes.ts';
import { keptEpisodeTests } from './directory/old-episodes.ts';
import { podcastTests } from './directory/podcasts.ts';
import { searchTests } from './directory/search.ts';
import { durabilityTests } from './durability.ts';
import { followerTests } from './followers.ts';
import { followingTests } from './following.ts';
import { groupTests } from './groups.ts';
import { historyTests } from './history.ts';
import { listTests } from './lists.ts';
import { overlapTests } from './overlap.ts';
import { stampTests } from './stamps.ts';
import { subscriptionTests } from './subscriptions.ts';
import { transferTests } from './transfer/account-import.ts';
import { transferDirectoryTests } from './transfer/directory.ts';
import { transferEpisodeTests } from './transfer/episodes.ts';
import { transferMergeTests } from './transfer/merge.ts';
import { transferSyncTests } from './transfer/sync.ts';

const SUITES: Readonly<Record<string, Suite>> = {
  users: userTests,
  'deletion of users': userDeletionTests,
  sessions: sessionTests,
  'app passwords': appPasswordTests,
  'app logins': appLoginTests,
  'marks and refusals of apps': appNoteTests,
  'login and registration attempts': attemptTests,
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
  'episodes with GUIDs and URLs': episodeIdentityTests,
  'episodes of merged feeds': mergedEpisodeTests,
  'removal of old episodes': keptEpisodeTests,
  'toplist, tags and suggestions': discoveryTests,
  'limits of the directory': boundedTests,
  'public podcasts': listingTests,
  search: searchTests,
  stamps: stampTests,
  overlap: overlapTests,
  apps: appTests,
  atomicity: atomicityTests,
  concurrency: concurrencyTests,
  durability: durabilityTests,
  'export and import of accounts': transferTests,
  'sync after an import': transferSyncTests,
  'export and import of the directory': transferDirectoryTests,
  'import into an existing directory': transferMergeTests,
  'import of episodes': transferEpisodeTests,
};

/**
 * Defines the tests of all stores over one key-value store, each with an empty backend of its own. The suite provides the
 * data folder, the clock and the log of `StorageContext`.
 */
export function testStores(name: string, createSubject: () => Promise<Subject>): void {
  describe(`stores over ${name}`, () => {
    let bench: OwnedBench | undefined;
    beforeEach(async () => {
      bench = await openBench(createSubject);
    });
    afterEach(async () => {
      const used = bench;
      bench = undefined;
      await used?.close();
    });
    for (const [title, suite] of Object.entries(SUITES)) {
      describe(title, () =>
        suite({
          describe: (what, body) => void describe(what, body),
          test: (what, body) => void it(what, () => body(bench!)),
        }),
      );
    }
  });
}

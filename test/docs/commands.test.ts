import { expect, it } from 'vitest';
import { blocksOf, PAGES, readPage, runPage } from './page.ts';

/** Times differ in each run. */
const toLines = (text: string): string[] =>
  text
    .replace(/"timestamp":\d+/g, '"timestamp":0')
    .split('\n')
    .filter(Boolean);

it.each(PAGES)('the commands of %s work, and print what it shows', async (page) => {
  const isComplete = page === 'examples/first-sync.md'; // it shows all output
  for (const { commands, shown = isComplete ? '' : undefined, stdout } of await runPage(page)) {
    if (shown !== undefined) expect(toLines(stdout), commands).toEqual(toLines(shown));
  }
});

it('only commands that change the machine, or need another server, are not run', async () => {
  const untested = await Promise.all(
    PAGES.map(async (page) =>
      blocksOf(await readPage(page))
        .filter(({ info }) => info === 'sh no-test')
        .map(({ content }) => `${page}: ${content.split('\n')[0]}`),
    ),
  );
  expect(untested.flat()).toEqual([
    'CONTRIBUTING.md: npm install && npm test        # quick: everything that needs a storage, on one of them',
    'CONTRIBUTING.md: npx vitest run --project json test/routes/lists.test.ts',
    'docs/apps.md: npx podsync pull gpodder.net --user alice --remote-user alice1987',
    'docs/install.md: docker build -t podsync .',
    'docs/install.md: docker compose -f examples/compose/json.yaml up -d',
    'docs/install.md: npm install && npm install -g "$(npm pack --silent)"   # in a checkout',
    'docs/install.md: install -D -m 644 dist/podsync.mjs /opt/podsync/podsync.mjs',
    'docs/install.md: apt install fail2ban',
    'docs/scaling.md: createuser --pwprompt podsync',
    'docs/scaling.md: npx podsync serve --host 0.0.0.0 --trust-proxy --storage postgres://podsync:secret@db.example.org/podsync',
    "docs/scaling.md: npx podsync serve --storage 'postgres://podsync:secret@10.0.0.11,10.0.0.12,10.0.0.13/podsync?target_session_attrs=read-write'",
    'docs/scaling.md: apt-get install --no-install-recommends patroni python3-etcd etcd-server postgresql',
    'docs/scaling.md: systemctl stop etcd && rm -r /var/lib/etcd/default && systemctl start etcd',
    'docs/writing-a-plugin.md: npm init -y && npm pkg set type=module',
  ]);
});

it.each(PAGES)('%s marks all its commands as such', async (page) => {
  const known = new Set(['sh', 'sh no-test', 'json', 'js', '']);
  const others = blocksOf(await readPage(page)).filter(({ info }) => !known.has(info));
  expect(others.map(({ info }) => info)).toEqual([]);
});

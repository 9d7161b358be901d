import { expect, it } from 'vitest';
import { createHostSemaphore } from '../../src/feeds/semaphore.ts';
import { startFeedServer, startFetcher } from './feed-server.ts';
import { rss } from './samples/sample.ts';

/** Tasks that the test ends, and the running ones. */
function createTasks(total: number) {
  const semaphore = createHostSemaphore(total);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (host: string, name: string): Promise<void> =>
    semaphore.run(host, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      if (name.startsWith('bad')) throw new Error(name);
    });
  /** Ends a task, and lets others start. */
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    await nextTurn();
  };
  return { start, end, running };
}
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('limits the tasks in all, and runs one per host', async () => {
  const { start, end, running } = createTasks(2);
  const all = ['a1', 'a2', 'b1', 'c1', 'b2'].map((name) => start(name[0]!, name));
  await nextTurn();
  expect(running).toEqual(['a1', 'b1']);
  await end('b1');
  expect(running).toEqual(['a1', 'c1']);
  await end('a1');
  expect(running).toEqual(['c1', 'b2']);
  await end('c1');
  expect(running).toEqual(['b2', 'a2']);
  await end('b2');
  await end('a2');
  await Promise.all(all);
});

it('runs one per host, also of those that were added after the first has ended', async () => {
  const { start, end, running } = createTasks(9);
  void start('a', 'a1');
  void start('a', 'a2');
  await nextTurn();
  await end('a1');
  void start('a', 'a3');
  await nextTurn();
  expect(running).toEqual(['a2']);
});

it('does not count a task that waits for its host', async () => {
  const { start, running } = createTasks(2);
  void start('a', 'a1');
  void start('a', 'a2');
  void start('a', 'a3');
  void start('b', 'b1');
  await nextTurn();
  expect(running).toEqual(['a1', 'b1']);
});

it('runs the next task after a failure', async () => {
  const { start, end, running } = createTasks(1);
  const failure = expect(start('a', 'bad')).rejects.toThrow('bad');
  void start('a', 'a2');
  await nextTurn();
  await end('bad');
  await failure;
  expect(running).toEqual(['a2']);
});

it('a fetcher sends one request at a time to a host, even if many others redirect to it, and four in all', async () => {
  const busy = { target: 0, all: 0 };
  const most = { target: 0, all: 0 };
  const waiting: (() => void)[] = [];
  const server = await startFeedServer((request, response) => {
    const isTarget = request.headers.host!.startsWith('target.');
    busy.all++;
    if (isTarget) busy.target++;
    most.all = Math.max(most.all, busy.all);
    most.target = Math.max(most.target, busy.target);
    const answer = (): void => {
      busy.all--;
      if (isTarget) busy.target--;
      if (isTarget) response.end(rss('<title>T</title>'));
      else response.writeHead(302, { location: `http://target.test:${server.port}${request.url}` }).end();
    };
    waiting.push(answer);
    // The first four are answered when all of them have arrived. Later ones, as one too many would, get some time, too.
    if (most.all === 4) for (const each of waiting.splice(0)) setTimeout(each, 20);
  });
  const { fetchFeed } = startFetcher({ resolve: async () => ['127.0.0.1'] });
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, at) => fetchFeed(`http://host${at}.test:${server.port}/${at}`, {})),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'fetched'));
  expect(most).toEqual({ target: 1, all: 4 });
});

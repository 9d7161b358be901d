import { request } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { createClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Podsync } from '../podsync.ts';
import { isMissing, openDataFolderOrAsk } from './data-folder.ts';
import { openOrReach } from './opening.ts';
import { requireStorage } from './storage-place.ts';
import { log } from './words.ts';

/** The operator's routes, wherever podsync is: in the server that runs on the data folder, else in this process. */
export interface Operator {
  /** `body` goes as JSON, a stream as it comes. */
  request(method: string, path: string, body?: unknown): Promise<OperatorReply>;
  /** In words, what becomes of long work that nobody waits for any longer. */
  abandoned: string;
  /** Lets go of what was opened. A server goes on. */
  close(): Promise<void>;
}

interface OperatorReply {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, unknown>>;
  body: Readable;
}

/** An empty name, `.` and `..` lead elsewhere in a path, also when written as %2E. */
const NOBODY = /^\.{0,2}$/;

/** The path of a user in the operator's routes. Throws for a name that nobody can have. */
export function pathOf(user: string, part = ''): string {
  if (NOBODY.test(user)) throw new Error('there is no account with this name or e-mail address');
  return `/operator/users/${encodeURIComponent(user)}${part}`;
}

/** What a command needs of the data folder and the storage. */
export interface Expectation {
  /** Whether this may be the first command of all: what is not there yet is made. */
  mayBeNew?: boolean;
  /** Whether the command changes nothing: then it makes no data folder either, where the storage is somewhere else. */
  onlyReads?: boolean;
}

/** Opens or reaches podsync, or rejects with why it cannot. A missing data folder is made as the expectation allows. */
export async function openOperator(
  config: Config,
  { mayBeNew = false, onlyReads = false }: Expectation = {},
): Promise<Operator> {
  if (!mayBeNew) await requireStorage(config);
  const hasFolder = !onlyReads || !(await isMissing(config.data));
  if (hasFolder) await openDataFolderOrAsk(config.data);
  const opened = await openOrReach({ ...config, log }, hasFolder ? {} : { now: createClock() });
  return 'socket' in opened ? reach(opened.socket) : hold(opened.podsync);
}

/** Opens or reaches podsync, and lets go of it when `work` is done. Rejects as `openOperator` does. */
export async function withOperator<T>(
  config: Config,
  work: (operator: Operator) => Promise<T>,
  expectation?: Expectation,
): Promise<T> {
  const operator = await openOperator(config, expectation);
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
}

/** Why an answer is not whole. */
export const BROKEN_OFF =
  'the server broke off before it was done: it was stopped, or its log says why; run this again';

type Question = Parameters<Operator['request']>;

/** A single request of the operator. Answers and rejects as `ask` does. */
export const askOperator = (config: Config, ...question: Question): Promise<unknown> =>
  withOperator(config, (operator) => ask(operator, ...question), { onlyReads: question[0] === 'GET' });

/** A request; undefined when the answer is empty. Rejects with its message when it is refused. */
export const ask = (operator: Operator, ...question: Question): Promise<unknown> =>
  readReply(operator, question, async (reply) => parse(await text(reply)));

/** Whether there is an account with this name or e-mail address. Rejects where that cannot be told. */
export async function hasAccount(operator: Operator, login: string): Promise<boolean> {
  if (NOBODY.test(login)) return false;
  const reply = await operator.request('GET', pathOf(login, '/sessions'));
  if (reply.status !== 404) await readAnswer(reply, text);
  reply.body.resume();
  return reply.status !== 404;
}

/** A request; `read` gets the answer as it comes. Rejects as `ask` does. */
export async function readReply<T>(
  operator: Operator,
  question: Question,
  read: (body: Readable, headers: OperatorReply['headers']) => Promise<T>,
): Promise<T> {
  return readAnswer(await operator.request(...question), read);
}

async function readAnswer<T>(
  { status, headers, body }: OperatorReply,
  read: (body: Readable, headers: OperatorReply['headers']) => Promise<T>,
): Promise<T> {
  try {
    if (status < 400) return await read(body, headers);
    throw new Error((parse(await text(body)) as { message: string }).message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new Error(BROKEN_OFF, { cause: error });
  }
}

const HEADERS = { 'content-type': 'application/json' };

const hold = (podsync: Podsync): Operator => ({
  async request(method, path, body) {
    const response = await podsync.operatorApp.request(path, {
      method,
      headers: HEADERS,
      ...(body !== undefined && { body: toBody(body), duplex: 'half' }),
    });
    const stream = response.body as ReadableStream | null;
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: stream ? Readable.fromWeb(stream) : Readable.from([]) };
  },
  abandoned: 'stopped; what was done by then stays, and the same command once more does the rest',
  close: () => podsync.close(),
});

const reach = (socketPath: string): Operator => ({
  request: (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath, method, path, headers: HEADERS }, (response) =>
        resolve({ status: response.statusCode!, headers: response.headers, body: response }),
      ).on('error', (error) =>
        reject(
          new Error(
            `the connection to the server broke before it answered (${error.message}); ` +
              'check whether the change was made before you try again',
          ),
        ),
      );
      if (body instanceof Readable) pipeline(body, sent, () => undefined);
      else sent.end(body === undefined ? undefined : JSON.stringify(body));
    }),
  abandoned: 'no longer waiting; the server goes on with it',
  close: async () => undefined,
});

const toBody = (body: unknown): string | ReadableStream =>
  body instanceof Readable ? ReadableStream.from(body) : JSON.stringify(body);

const parse = (answer: string): unknown => (answer === '' ? undefined : JSON.parse(answer));

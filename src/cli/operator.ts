import { request } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { createClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { Refusal } from '../domain/errors.ts';
import type { Podsync } from '../podsync.ts';
import { connect } from './connect.ts';
import { limitHeapGrowth } from './heap.ts';
import { log } from './output.ts';
import { isMissing, openDataFolderOrAsk, requireStorage } from './settings/data-folder.ts';

/** The operator's routes of the server that runs on the data folder, otherwise of podsync in this process. */
export interface Operator {
  /** `body` is sent as JSON, a stream unchanged. */
  request(method: string, path: string, body?: unknown): Promise<OperatorReply>;
  /** The message after long work was cancelled. */
  cancelled: string;
  /** Closes podsync if it was opened. A server keeps running. */
  close(): Promise<void>;
}

interface OperatorReply {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, unknown>>;
  body: Readable;
}

type OperatorRequest = Parameters<Operator['request']>;

/** Requirements of a command for the data folder and the storage. */
export interface OperatorOptions {
  /** Whether this may be the first command: a missing folder and storage are then created. */
  mayBeNew?: boolean;
  /**
   * Whether the command changes nothing: it may then read a storage other than that of the data folder, and does not create
   * a data folder for it.
   */
  readOnly?: boolean;
}

/** Connects to podsync, or rejects with the reason. A missing data folder is created if the options allow it. */
export async function openOperator(
  config: Config,
  { mayBeNew = false, readOnly = false }: OperatorOptions = {},
): Promise<Operator> {
  if (!mayBeNew) await requireStorage(config);
  const hasFolder = !readOnly || !(await isMissing(config.data));
  if (hasFolder) await openDataFolderOrAsk(config.data);
  const parts = hasFolder ? {} : { now: createClock() };
  const connection = await connect({ ...config, log }, { readOnly, ...parts });
  limitHeapGrowth();
  return 'socket' in connection ? createSocketOperator(connection.socket) : createLocalOperator(connection.podsync);
}

/** Connects to podsync, and closes it when `work` is done. Rejects like `openOperator`. */
export async function withOperator<T>(
  config: Config,
  work: (operator: Operator) => Promise<T>,
  options?: OperatorOptions,
): Promise<T> {
  const operator = await openOperator(config, options);
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
}

/** The error if a response ends too early. */
export const INCOMPLETE =
  'the response of the server is incomplete: it was stopped, or its log has the reason; try again';

/** A command that is a single request. Returns and rejects like `send`. */
export const sendOnce = (config: Config, ...sent: OperatorRequest): Promise<unknown> =>
  withOperator(config, (operator) => send(operator, ...sent), { readOnly: sent[0] === 'GET' });

/**
 * Returns the parsed JSON; undefined for an empty response. Rejects with its message if the request is refused, and with a
 * Refusal for what does not exist.
 */
export const send = (operator: Operator, ...sent: OperatorRequest): Promise<unknown> =>
  readReply(operator, sent, async (reply) => parse(await text(reply)));

/**
 * A name or an id as a segment of a path. An empty one, `.` and `..` would change the path, also if written as %2E: nothing
 * has such a name. Throws a Refusal with the message `missing` for them.
 */
export function toSegment(text: string, missing: string): string {
  if (/^\.{0,2}$/.test(text)) throw new Refusal('missing', missing);
  return encodeURIComponent(text);
}

/** The path of an account in the operator's routes. Throws for a name that no account can have. */
export const accountPath = (login: string, rest = ''): string =>
  `/operator/users/${toSegment(login, 'there is no account with this name or e-mail address')}${rest}`;

/** Whether an account with this name or e-mail address exists. */
export async function hasAccount(operator: Operator, login: string): Promise<boolean> {
  try {
    await send(operator, 'GET', accountPath(login, '/sessions'));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** A request; `read` receives the response as a stream. Rejects like `send`. */
export async function readReply<T>(
  operator: Operator,
  sent: OperatorRequest,
  read: (body: Readable, headers: OperatorReply['headers']) => Promise<T>,
): Promise<T> {
  const { status, headers, body } = await operator.request(...sent);
  try {
    if (status < 400) return await read(body, headers);
    const { message } = parse(await text(body)) as { message: string };
    throw status === 404 ? new Refusal('missing', message) : new Error(message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new Error(INCOMPLETE, { cause: error });
  }
}

const HEADERS = { 'content-type': 'application/json' };

const createLocalOperator = (podsync: Podsync): Operator => ({
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
  cancelled: 'stopped; completed work is kept, and running the command again continues',
  close: () => podsync.close(),
});

const createSocketOperator = (socketPath: string): Operator => ({
  request: (method, path, body) =>
    new Promise((resolve, reject) => {
      // A connection that is kept may be closed by the server just when the next request is sent.
      const sent = request({ socketPath, method, path, headers: HEADERS, agent: false }, (response) =>
        resolve({ status: response.statusCode!, headers: response.headers, body: response }),
      ).on('error', (error) =>
        reject(
          new Error(
            `the connection to the server was lost before it responded (${error.message}); ` +
              'check whether the change was made before you try again',
          ),
        ),
      );
      if (body instanceof Readable) pipeline(body, sent, () => undefined);
      else sent.end(body === undefined ? undefined : JSON.stringify(body));
    }),
  cancelled: 'stopped waiting; the server continues in the background',
  close: async () => undefined,
});

const toBody = (body: unknown): string | ReadableStream =>
  body instanceof Readable ? ReadableStream.from(body) : JSON.stringify(body);

const parse = (body: string): unknown => (body === '' ? undefined : JSON.parse(body));

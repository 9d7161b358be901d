import { setImmediate } from 'node:timers/promises';
import type { Seconds } from '../../src/domain/types.ts';
import { cookieOf } from '../server.ts';
import {
  type Call,
  type Client,
  type Device,
  type EpisodeForm,
  episodeForm,
  followingPath,
  listPath,
  loginPath,
} from './client.ts';
import type { Action } from './library.ts';
import { type ModelServer, OVERLAP } from './server.ts';

/** A position in the order of all requests, and the time of the server at it. */
export interface Moment {
  order: number;
  at: Seconds;
}

/** One request and its response. */
export interface Exchange {
  client: string;
  call: Call;
  began: Moment;
  ended: Moment;
  /** Body of the answer; undefined when it is empty. */
  answer: any;
  /** Whether the client received the answer. */
  received: boolean;
}

/** Within one step the clock changes by less than this. */
export const LARGEST_JUMP: Seconds = 5;

/** The cookie that the forms of the website repeat. */
const CSRF = 'abcdefghijklmnopqrstuvwx';

type Requester = Pick<Client, 'name' | 'sendsPassword' | 'auth'>;

interface Running {
  sync: ReturnType<Client['sync']>;
  /** The next one. */
  call: Call;
  startedAt: Seconds;
}

/** The server and its clients, which send one request at a time, and all their exchanges. */
export class World {
  readonly exchanges: Exchange[] = [];
  readonly #server: ModelServer;
  readonly #running = new Map<Client, Running>();
  readonly #cookies = new Map<Requester, string>();
  #order = 0;
  #episodes = 0;

  constructor(server: ModelServer) {
    this.#server = server;
  }

  /** Whether the client has started a sync that is not finished. */
  isSyncing(client: Client): boolean {
    return this.#running.has(client);
  }

  /**
   * Sends the next request of a client, which starts a sync if none is running. A sync ends if a response is lost, or if
   * it takes longer than the overlap, as connections time out earlier.
   */
  async request(client: Client, { losesResponse = false } = {}): Promise<void> {
    const startedAt = this.#running.get(client)?.startedAt ?? Infinity;
    if (startedAt <= this.#server.now() + LARGEST_JUMP - OVERLAP) this.#running.delete(client);
    const running = this.#running.get(client) ?? this.#begin(client);
    const answer = await this.#exchange(client, running.call, !losesResponse);
    const next = losesResponse ? undefined : running.sync.next(answer);
    if (!next || next.done) this.#running.delete(client);
    else running.call = next.value;
  }

  #begin(client: Client): Running {
    const sync = client.sync();
    const running = { sync, call: sync.next().value!, startedAt: this.#server.now() };
    this.#running.set(client, running);
    return running;
  }

  async finishSync(client: Client): Promise<void> {
    do await this.request(client);
    while (this.isSyncing(client));
  }

  /** Concurrent requests; the clock jumps when some of them have started. */
  async concurrentRequests(
    first: readonly Client[],
    jump: Seconds,
    later: readonly Client[],
    ticks: number,
  ): Promise<void> {
    const requests = first.map((client) => this.request(client));
    for (let tick = 0; tick < ticks; tick++) await setImmediate();
    this.#server.wall += jump;
    requests.push(...later.map((client) => this.request(client)));
    await Promise.all(requests);
  }

  /** "Replace list on server" of gPodder, at any time and outside of a sync. */
  async replaceList(device: Device): Promise<void> {
    const body = [...device.library.subscriptions];
    await this.#exchange(device, { method: 'PUT', path: listPath(device.name), body }, true);
  }

  /** "Link up all devices" of Kasts, for all devices that the server knows. */
  async linkDevices(): Promise<void> {
    const requester: Requester = { name: 'kasts', sendsPassword: 'always' };
    const known = await this.#exchange(requester, { method: 'GET', path: followingPath }, true);
    const all = [...known.synchronized.flat(), ...known['not-synchronized']];
    if (all.length < 2) return;
    const body = { synchronize: [all], 'stop-synchronize': [] };
    await this.#exchange(requester, { method: 'POST', path: followingPath, body }, true);
  }

  /** A user listens to new episodes on a device whose clock is wrong. */
  listen({ name, library }: Device, count: number, clockError: Seconds): void {
    const at = new Date((this.#server.wall + clockError) * 1000).toISOString().slice(0, 19);
    const action = (): Action => ({
      podcast: 'http://example.org/feed',
      episode: this.#nextEpisode(),
      device: name,
      action: 'play',
      timestamp: at,
      started: 0,
      position: 10,
      total: 100,
    });
    library.addActions(Array.from({ length: count }, action));
  }

  /** Uploads what the player or a button of the website does, of an episode that is played nowhere else. */
  async browse(form: EpisodeForm): Promise<void> {
    const browser: Requester = { name: 'web', sendsPassword: 'always' };
    const named = { podcast: 'http://example.org/feed', episode: this.#nextEpisode() };
    const times = { started: '0', position: '10', total: '100' };
    const page = await this.#server.request(this.#toRequest(browser, { method: 'GET', path: '/lists', form: {} }));
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())![1]!;
    const fields = { csrf, podcast: named.podcast, url: named.episode, ...(form === 'progress' && times) };
    await this.#exchange(browser, { method: 'POST', path: episodeForm(form), body: [named], form: fields }, true);
  }

  #nextEpisode(): string {
    return `http://example.org/${++this.#episodes}.mp3`;
  }

  async #exchange(client: Requester, call: Call, received: boolean): Promise<any> {
    const began = this.#moment();
    const response = await this.#server.request(this.#toRequest(client, call));
    const text = await response.text();
    if (response.status >= 400) {
      throw new Error(`${client.name}: ${call.method} ${call.path}: ${response.status} ${text}`);
    }
    const cookie = cookieOf(response);
    if (cookie) this.#cookies.set(client, cookie);
    const answer = text === '' ? undefined : JSON.parse(text);
    this.exchanges.push({ client: client.name, call, began, ended: this.#moment(), answer, received });
    return answer;
  }

  #moment(): Moment {
    return { order: ++this.#order, at: this.#server.now() };
  }

  #toRequest(client: Requester, { method, path, body, form }: Call): Request {
    const cookie = this.#cookies.get(client);
    const withPassword = client.sendsPassword === 'always' || cookie === undefined || path === loginPath;
    const headers = {
      ...(withPassword && { authorization: `Basic ${Buffer.from(client.auth ?? 'bob:secret').toString('base64')}` }),
      ...(form && { cookie: `csrf=${CSRF}` }),
      ...(cookie && !form && { cookie: `sessionid=${cookie}` }),
    };
    return new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: form ? new URLSearchParams(form) : JSON.stringify(body) }),
    });
  }
}

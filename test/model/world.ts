import { setImmediate } from 'node:timers/promises';
import type { Seconds } from '../../src/domain/types.ts';
import type { Action } from './library.ts';
import { type Call, type Client, type Device, followingPath, listPath, loginPath, playerPath } from './client.ts';
import { type ModelServer, OVERLAP } from './server.ts';

/** A point in the order of all that happened, and the server's time then. */
export interface Moment {
  order: number;
  at: Seconds;
}

/** One request and what came of it. */
export interface Exchange {
  client: string;
  call: Call;
  began: Moment;
  ended: Moment;
  /** Body of the answer; undefined when it is empty. */
  answer: any;
  /** Whether the answer came through to the client. */
  received: boolean;
}

/** Within one step the clock moves by less than this. */
export const LARGEST_JUMP: Seconds = 5;

/** Of the forms of the website: the cookie and the field agree. */
const CSRF = 'abcdefghijklmnopqrstuvwx';

type Speaker = Pick<Client, 'name' | 'sendsPassword' | 'auth'>;

interface Running {
  sync: ReturnType<Client['sync']>;
  /** The next one to make. */
  call: Call;
  startedAt: Seconds;
}

/** The server and those who talk to it, a request at a time, and the record of all that they said. */
export class World {
  readonly exchanges: Exchange[] = [];
  readonly #server: ModelServer;
  readonly #running = new Map<Client, Running>();
  readonly #cookies = new Map<Speaker, string>();
  #order = 0;
  #episodes = 0;

  constructor(server: ModelServer) {
    this.#server = server;
  }

  /** Whether the client is in the midst of a sync. */
  isSyncing(client: Client): boolean {
    return this.#running.has(client);
  }

  /**
   * The next request of a client, who begins a sync if none is under way. A lost answer ends the sync, and so does a sync
   * that takes longer than the overlap: pull and push lie closer together than that, connections time out first.
   */
  async turn(client: Client, { losesAnswer = false } = {}): Promise<void> {
    const startedAt = this.#running.get(client)?.startedAt ?? Infinity;
    if (startedAt <= this.#server.now() + LARGEST_JUMP - OVERLAP) this.#running.delete(client);
    const running = this.#running.get(client) ?? this.#begin(client);
    const answer = await this.#exchange(client, running.call, !losesAnswer);
    const next = losesAnswer ? undefined : running.sync.next(answer);
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
    do await this.turn(client);
    while (this.isSyncing(client));
  }

  /** Requests that are under way together; the clock jumps when some of them have begun. */
  async together(first: readonly Client[], jump: Seconds, later: readonly Client[], ticks: number): Promise<void> {
    const turns = first.map((client) => this.turn(client));
    for (let tick = 0; tick < ticks; tick++) await setImmediate();
    this.#server.wall += jump;
    turns.push(...later.map((client) => this.turn(client)));
    await Promise.all(turns);
  }

  /** gPodder's "replace list on server", any time and outside of a sync. */
  async replaceList(device: Device): Promise<void> {
    const body = [...device.library.subscriptions];
    await this.#exchange(device, { method: 'PUT', path: listPath(device.name), body }, true);
  }

  /** Kasts' "link up all devices", for those that the server knows; asked for by nobody in particular. */
  async linkDevices(): Promise<void> {
    const somebody: Speaker = { name: 'somebody', sendsPassword: 'always' };
    const known = await this.#exchange(somebody, { method: 'GET', path: followingPath }, true);
    const all = [...known.synchronized.flat(), ...known['not-synchronized']];
    if (all.length < 2) return;
    const body = { synchronize: [all], 'stop-synchronize': [] };
    await this.#exchange(somebody, { method: 'POST', path: followingPath, body }, true);
  }

  /** Somebody listens to new episodes, by a clock of his own that is as wrong as can be. */
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
    library.listen(Array.from({ length: count }, action));
  }

  /** What the player of the website uploads, of an episode that is played nowhere else. */
  async playInBrowser(): Promise<void> {
    const browser: Speaker = { name: 'web', sendsPassword: 'always' };
    const named = { podcast: 'http://example.org/feed', episode: this.#nextEpisode() };
    const times = { started: '0', position: '10', total: '100' };
    const form = { csrf: CSRF, podcast: named.podcast, url: named.episode, ...times };
    await this.#exchange(browser, { method: 'POST', path: playerPath, body: [named], form }, true);
  }

  #nextEpisode(): string {
    return `http://example.org/${++this.#episodes}.mp3`;
  }

  async #exchange(client: Speaker, call: Call, received: boolean): Promise<any> {
    const began = this.#moment();
    const response = await this.#server.request(this.#toRequest(client, call));
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${client.name}: ${call.method} ${call.path}: ${response.status} ${text}`);
    }
    const cookie = /sessionid=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
    if (cookie) this.#cookies.set(client, cookie);
    const answer = text === '' ? undefined : JSON.parse(text);
    this.exchanges.push({ client: client.name, call, began, ended: this.#moment(), answer, received });
    return answer;
  }

  #moment(): Moment {
    return { order: ++this.#order, at: this.#server.now() };
  }

  #toRequest(client: Speaker, { method, path, body, form }: Call): Request {
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

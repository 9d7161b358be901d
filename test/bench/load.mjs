import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/*
 * A load generator that takes less CPU time than the server: each connection is kept alive and has one pending request,
 * and only the status and the end of a response are parsed.
 */

/**
 * Sends requests over all connections until `until` returns true, and fails at the first response with another status.
 *
 * @param {object} options
 * @param {string} options.url Where the server listens.
 * @param {(connection: number) => string} options.next Makes the next request of a connection, see `request`.
 * @param {() => boolean} options.until Asked before each request, see `seconds` and `requests`.
 * @param {number} [options.connections]
 * @param {number} [options.status] What every answer must have.
 * @returns {Promise<Measured>}
 *
 * @typedef {object} Measured
 * @property {number} rate Answers per second.
 * @property {number} p50 Milliseconds.
 * @property {number} p99 Milliseconds.
 * @property {number} max Milliseconds.
 * @property {number} count
 */
export async function load({ url, next, until, connections = 16, status = 200 }) {
  const wires = await Promise.all(Array.from({ length: connections }, () => openWire(url)));
  /** @type {number[]} */
  const times = [];
  const begun = performance.now();
  try {
    await Promise.all(
      wires.map(async (wire, connection) => {
        while (!until()) {
          const text = next(connection);
          const sent = performance.now();
          const answered = await wire.exchange(text);
          times.push(performance.now() - sent);
          if (answered !== status) throw new Error(`${firstLine(text)} was answered by ${answered}, not ${status}`);
        }
      }),
    );
    const took = performance.now() - begun;
    times.sort((a, b) => a - b);
    const percentile = (share) => times[Math.floor(share * (times.length - 1))] ?? NaN;
    return {
      rate: (times.length / took) * 1000,
      p50: percentile(0.5),
      p99: percentile(0.99),
      max: percentile(1),
      count: times.length,
    };
  } finally {
    for (const wire of wires) wire.close();
  }
}

/** For `until`: after this time from now. */
export function seconds(count) {
  const end = performance.now() + count * 1000;
  return () => performance.now() >= end;
}

/** For `until`: after this number of requests. */
export function requests(count) {
  let left = count;
  return () => left-- <= 0;
}

/** The text of a request, one character per byte. The body is JSON unless the headers have another type. */
export function request(method, path, headers = {}, body = '') {
  const about = method === 'GET' ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  const lines = Object.entries({ host: 'bench', ...about, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const firstLine = (text) => text.slice(0, text.indexOf(' HTTP/'));

/** A connection for one request at a time: `exchange` resolves with the status when the response is complete. */
async function openWire(url) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let waiting;
  const fail = (error) => waiting?.reject(error);
  socket.on(
    'data',
    createReader((status) => waiting.resolve(status)),
  );
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed a connection that was to be kept alive')));
  await new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    socket.on('connect', resolve);
  });
  return {
    exchange: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text, 'latin1');
      }),
    close: () => socket.destroy(),
  };
}

/** Parses the data of a socket, and calls back with the status of each response when its body has ended. */
function createReader(onAnswer) {
  let text = ''; // not parsed yet
  let status = 0; // 0 until the head is parsed
  let skip = 0; // characters of the body to ignore
  let isChunked = false;
  return (bytes) => {
    text += bytes.latin1Slice();
    for (;;) {
      if (status === 0) {
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = text.slice(0, end);
        status = Number(head.slice(9, 12));
        isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
        skip = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      }
      const skipped = Math.min(skip, text.length);
      text = text.slice(skipped);
      skip -= skipped;
      if (skip > 0) return;
      if (!isChunked) break;
      const line = text.indexOf('\r\n');
      if (line === -1) return;
      const size = Number.parseInt(text, 16);
      skip = line + 2 + size + 2;
      isChunked = size > 0;
    }
    const answered = status;
    status = 0;
    onAnswer(answered);
  };
}

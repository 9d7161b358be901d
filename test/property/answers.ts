import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { XMLValidator } from 'fast-xml-parser';

/** Patterns that headers of every response match. */
const ALWAYS: [name: string, pattern: RegExp][] = [
  ['access-control-allow-origin', /^\*$/],
  ['x-content-type-options', /^nosniff$/],
  ['cache-control', /^(?:no-store|public, no-cache|(?:public|private), max-age=\d+.*)$/],
];
const BY_STATUS: Record<number, [name: string, pattern: RegExp]> = {
  303: ['location', /^http:\/\/localhost\/[!-~]*$/],
  401: ['www-authenticate', /^Basic realm="[^"]+"/],
  405: ['allow', /^[A-Z]+(?:, [A-Z]+)*$/],
  429: ['retry-after', /^[1-9]\d*$/],
};

/** Traces of an unexpected error: stacks, modules, files. */
const TRACE = /\n\s+at |node_modules|node:|file:\/\/|\.[tj]s:\d|podsync-test-/;

/** What is wrong with a response, whatever the request; usually nothing. */
export async function faultsOf(method: string, response: Response): Promise<string[]> {
  const { status, headers } = response;
  const body = await readBody(response);
  const isSilent = method === 'HEAD' || status === 204 || status === 304;
  return [
    ...(status >= 500 ? [`${status}`] : []),
    ...[...ALWAYS, ...(BY_STATUS[status] ? [BY_STATUS[status]] : [])]
      .filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
      .map(([name]) => `${status} with ${name}: ${headers.get(name)}`),
    ...(headers.has('access-control-allow-credentials') ? ['credentials are allowed to other origins'] : []),
    ...faultsOfBody(status, headers.get('content-type'), body, isSilent).map(
      (fault) => `${status} ${fault}: ${body.slice(0, 300)}`,
    ),
  ];
}

const DECODERS: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
};

/** The decoded body of a response, as text. */
export async function readBody(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const decode = DECODERS[response.headers.get('content-encoding') ?? ''];
  return (decode && bytes.length > 0 ? await decode(bytes) : bytes).toString();
}

const PAGE = 'text/html; charset=utf-8';
/** Pages show what was sent or stored as text, never as markup. */
const isPage = (body: string): boolean => !/<script>alert|<img src=x|<\/script>\?/.test(body) && !TRACE.test(body);

function faultsOfBody(status: number, type: string | null, body: string, isSilent: boolean): string[] {
  if (isSilent) return body === '' ? [] : ['with a body'];
  if (type === PAGE) return isPage(body) ? [] : ['with markup that was sent'];
  if (status >= 400) return isError(status, type, body) ? [] : [`no proper error as ${type}`];
  return CONTENT[type ?? '']?.(body) ? [] : [`no proper ${type}`];
}

/** `{code, message}`, or a line of text if a list was requested. */
function isError(status: number, type: string | null, body: string): boolean {
  if (type === 'text/plain; charset=utf-8') return isSentence(body.trimEnd());
  const error = type === 'application/json' ? parse(body) : undefined;
  return error?.code === status && isSentence(error.message) && Object.keys(error).length === 2;
}

/** A sentence that a person can act on, without what was sent. */
const isSentence = (message: unknown): boolean =>
  typeof message === 'string' && /^[^<>\n]{10,300}$/.test(message) && !TRACE.test(message);

const isXml = (body: string): boolean => XMLValidator.validate(body) === true;

const CONTENT: Record<string, (body: string) => boolean> = {
  '': (body) => body === '',
  'application/json': (body) => parse(body) !== undefined,
  'application/manifest+json': (body) => parse(body) !== undefined,
  'application/x-ndjson': (body) =>
    body
      .trimEnd()
      .split('\n')
      .every((line) => parse(line) !== undefined),
  'text/csv; charset=utf-8; header=present': (body) => body.startsWith('time,'),
  'application/javascript': (body) => /^[\w$.]+\([^]*\);$/.test(body),
  'text/plain; charset=utf-8': (body) => !body.includes('<!DOCTYPE'),
  'text/x-opml+xml; charset=utf-8': isXml,
  'application/xml; charset=utf-8': isXml,
  'image/svg+xml': isXml,
};

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

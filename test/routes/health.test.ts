import manifest from 'podsync/package.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openTestServer, TARGETS } from '../server.ts';

describe.each(TARGETS)('GET /health (%s)', (target) => {
  it('reports without a login that the server works, and its version, and is not cached', async () => {
    const { request } = await openTestServer({}, target);
    const answer = await request('GET', '/health');
    expect([answer.status, await answer.text()]).toEqual([200, `ok\npodsync ${manifest.version}\n`]);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await request('HEAD', '/health')).status).toBe(200);
  });

  it('reports without details that the storage is unavailable', async () => {
    const { request, storage, errors } = await openTestServer({}, target);
    const { ping } = storage;
    storage.ping = () => Promise.reject(new StorageError('unavailable', 'secret.example.org does not answer'));
    const answer = await request('GET', '/health');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await answer.text()).not.toContain('secret');
    expect(errors.splice(0)).toEqual(['secret.example.org does not answer']);
    storage.ping = ping;
    expect((await request('GET', '/health')).status).toBe(200);
  });
});

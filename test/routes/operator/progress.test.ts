import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { openTestServer } from '../../server.ts';

it('the progress of long work is sent before it ends', async () => {
  const { services, request } = await openTestServer({ operator: true });
  const work = new EventEmitter();
  const report = { accounts: 2, problems: [] };
  vi.spyOn(services.integrityCheck, 'run').mockImplementation(async (progress) => {
    await setImmediate();
    progress(1, 2, 3);
    await once(work, 'end');
    return report as never;
  });
  const chunks = (await request('POST', '/operator/check')).body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await chunks.read()).value).toBe('{"done":1,"total":2,"records":3}\n');
  work.emit('end');
  expect((await chunks.read()).value).toBe(`${JSON.stringify({ report })}\n`);
});

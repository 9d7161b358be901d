import { expect, it } from 'vitest';
import { createInbox } from '../../../../plugins/old/sqlite/inbox.ts';

it('whoever gives is let go of where nobody ever reads', async () => {
  const inbox = createInbox();
  const given = inbox.give(['a page']);
  inbox.leave();
  expect(await given).toBe(false);
  expect(await inbox.give(['another'])).toBe(false);
});

it('whoever gives is let go of where somebody has stopped reading', async () => {
  const inbox = createInbox();
  const given = inbox.give(['a page']);
  for await (const page of inbox.pages) {
    expect(page).toEqual(['a page']);
    break;
  }
  expect(await given).toBe(true);
  const more = inbox.give(['another']);
  inbox.leave();
  expect(await more).toBe(false);
});

it('whoever reads is told that there should have been more', async () => {
  const inbox = createInbox();
  const given = inbox.give(['a page']);
  const reading = (async () => {
    for await (const _ of inbox.pages) if (await given) inbox.cut();
  })();
  await expect(reading).rejects.toThrow('cut off');
});

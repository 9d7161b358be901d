import { createThread } from '../../dist/src/thread.js';

const start = () => createThread(new URL('odd.js', import.meta.url).href, 'odd');
await start()
  .run(Symbol('cannot be cloned'))
  .catch(() => console.log('refused'));
const thread = start();
await thread.run('endless', 0.1).catch(({ message }) => console.log(message));
console.log(...(await Promise.all([thread.run('slow'), thread.run('done')])));

import { createThread } from '../../dist/src/thread.js';

const thread = createThread(new URL('odd.js', import.meta.url).href, 'odd');
await thread.run('endless', 0.1).catch(({ message }) => console.log(message));
console.log(...(await Promise.all([thread.run('slow'), thread.run('done')])));

import { createThread } from '../../dist/src/thread.js';

const thread = createThread(new URL('odd.js', import.meta.url).href, 'odd');
console.log(await thread.run('done'));

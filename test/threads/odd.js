import { serveThread } from '../../dist/src/thread.js';

serveThread('odd', (input) => {
  if (input === 'end') process.exit(0); // as a library may do
  if (input === 'fail') throw new Error('no');
  if (input === 'deep') return Array.from({ length: 10_000 }).reduce((inner) => [inner], []);
  if (input === 'endless') for (;;);
  if (input === 'slow') return new Promise((resolve) => setTimeout(resolve, 50, input));
  return input;
});

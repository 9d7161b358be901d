import { serveThread } from '../../dist/src/thread.js';

serveThread('odd', (input) => {
  if (input === 'end') process.exit(0); // as a library may do
  return input;
});

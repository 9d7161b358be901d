import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/*
 * Builds podsync after `npm install` in a clone. Without development dependencies there is no compiler; the installation
 * succeeds all the same, as an earlier build keeps working.
 */
if (existsSync('node_modules/typescript')) {
  execSync('npm run build', { stdio: ['ignore', process.stderr, 'inherit'] }); // stdout is for the file name of `npm pack`
} else if (!existsSync('dist/bin/podsync.js')) {
  console.error(
    'podsync is not built: the TypeScript compiler is a development dependency. ' +
      'Run "npm install" without --omit=dev, then "npm prune --omit=dev".',
  );
}

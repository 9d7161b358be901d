import { chmod, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

const program = 'bin/podsync.ts';
const executable = { name: 'executable', writeBundle: makeExecutable };

/**
 * The program in two forms: for the npm package, in few files, as Node needs twice the time to load one for each module; and
 * with all packages, as one file.
 */
export default [
  {
    // The modules that also run in threads, as a thread should load no more than they need.
    input: [program, 'src/services/accounts/hasher.ts', 'src/services/sync/body-parser.ts'],
    platform: 'node',
    external: /^(?!podsync\/|@oxc-project\/)[@a-z]/, // packages, except this one and the runtime of rolldown
    plugins: [executable],
    output: { dir: 'dist/bin', cleanDir: true, chunkFileNames: '[name].js' },
  },
  {
    input: program,
    platform: 'node',
    external: ['better-sqlite3', 'sharp'], // native code cannot be part of a text
    plugins: [
      executable,
      { name: 'licences', generateBundle: writeLicences },
      { name: 'built-in modules', renderChunk: importWhole },
    ],
    output: { file: 'dist/podsync.mjs', codeSplitting: false, minify: true },
  },
];

/** npx does so for the first clone in a folder, but not for a later one. */
async function makeExecutable({ dir, file }) {
  await chmod(file ?? `${dir}/podsync.js`, 0o755);
}

/**
 * Imports Node's modules as a whole: an older Node cannot load a file that imports a function by a name which it does not
 * have, so `main` could not say which Node is needed.
 */
function importWhole(code) {
  let count = 0;
  return code.replaceAll(
    /^import (?:(\w+), )?\{ (.+) \} from ("(?:node:)?[\w/]+");$/gm,
    (line, whole, names, module) => {
      if (!isBuiltin(module.slice(1, -1))) return line;
      const variable = whole ?? `builtIn${(count += 1)}`;
      return `import ${variable} from ${module};\nconst { ${names.replaceAll(' as ', ': ')} } = ${variable};`;
    },
  );
}

/** The licences of the packages in the bundle ask to go with it. */
async function writeLicences() {
  const packages = new Set([...this.getModuleIds()].flatMap((id) => packageOf(id) ?? []));
  const licences = await Promise.all([...packages].toSorted().map(readLicence));
  this.emitFile({ type: 'asset', fileName: 'podsync-licences.txt', source: licences.join('\n\n') });
}

const packageOf = (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

async function readLicence(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

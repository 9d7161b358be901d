import { mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The longest path of a socket that every system supports. Bytes. */
const LONGEST_PATH = 103;

/** The path of a socket in this folder; undefined if it is too long: Node would silently truncate it. */
export function socketIn(folder: string): string | undefined {
  const path = join(folder, 'control.sock');
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : undefined;
}

/** The file with the path of the socket, if that is not in the data folder. */
const pointerOf = (data: string): string => join(data, 'control.path');

/** Creates a private folder in the temporary folder, and a pointer to its socket in the data folder. */
export async function createTemporaryPath(data: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-'));
  const path = socketIn(folder);
  if (!path) {
    await rmdir(folder);
    throw new Error(`the path of ${tmpdir()} is too long for a control socket; set TMPDIR to another folder`);
  }
  await writeFile(pointerOf(data), path, { mode: 0o600 });
  return path;
}

/** Removes the socket, its temporary folder and the pointer, if they exist and can be removed. */
export async function removeSockets(data: string): Promise<void> {
  const own = socketIn(data);
  if (own) await rm(own).catch(() => undefined);
  const temporary = await readPointer(data);
  if (temporary) {
    await rm(temporary).catch(() => undefined);
    await rmdir(dirname(temporary)).catch(() => undefined); // not `recursive`: the pointer may name anything
  }
  await rm(pointerOf(data), { force: true });
}

/** The control socket of the server that runs on a data folder; undefined if none is running. */
export async function findControlSocket(data: string): Promise<string | undefined> {
  const path = (await readPointer(data)) ?? socketIn(data);
  return path !== undefined && (await isListening(path)) ? path : undefined;
}

async function readPointer(data: string): Promise<string | undefined> {
  try {
    const path = await readFile(pointerOf(data), 'utf8');
    if (path === '') return undefined; // as a power failure may leave it
    // If the folder was removed, anyone may create one with its name, and would receive passwords: the owner must match.
    const [pointer, folder] = [await stat(pointerOf(data)), await stat(dirname(path))];
    return pointer.uid === folder.uid ? path : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') return resolve(false); // left by a server that was killed
      reject(new Error(`this user may not use ${path}; run the command as the user that runs the server`));
    });
  });
}

import { cp, type FileHandle, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file or folder: its inode, which is not used again. */
interface Node {
  id: string;
  isFolder: boolean;
}
type Names = ReadonlyMap<string, Node>;

/**
 * Knows what has been synced, and creates the folders that a power failure can leave: each name and each content that was
 * not synced may be lost, or not.
 */
export class SimulatedDisk {
  readonly #random: (limit: number) => number;
  /** What is synced: the content of each file, and the names in each folder. */
  readonly #contents = new Map<string, Buffer>();
  readonly #names = new Map<string, Names>();

  constructor(random: (limit: number) => number) {
    this.#random = random;
  }

  /** Watches an opened file or folder. */
  watch(file: FileHandle, path: string): FileHandle {
    for (const name of ['sync', 'datasync'] as const) {
      const sync = file[name].bind(file);
      file[name] = async () => {
        await sync();
        const { id, isFolder } = await nodeAt(path);
        if (isFolder) this.#names.set(id, await namesIn(path));
        else this.#contents.set(id, await readFile(path));
      };
    }
    return file;
  }

  /**
   * Copies a folder as a killed process leaves it: with all that was written, synced or not. The last line of its log is not
   * synced, as if it had been killed before that.
   */
  async kill(folder: string, copy: string): Promise<void> {
    const names = await namesIn(folder);
    const newestLog = [...names.keys()]
      .filter((name) => name.startsWith('wal-'))
      .toSorted()
      .at(-1);
    await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const synced = new Map(this.#names.get((await nodeAt(folder)).id));
    for (const [name, { id, isFolder }] of names) {
      const [from, to] = [join(folder, name), join(copy, name)];
      if (isFolder) await this.kill(from, to);
      const copied = await nodeAt(to);
      if (synced.get(name)?.id === id) synced.set(name, copied);
      const content = this.#contents.get(id);
      if (content) this.#contents.set(copied.id, name === newestLog ? withoutLastLine(content) : content);
    }
    this.#names.set((await nodeAt(copy)).id, synced);
  }

  /** Creates a folder as a power failure may leave another one. */
  async fail(folder: string, copy: string): Promise<void> {
    await this.#fail(folder, await nodeAt(folder), copy);
  }

  async #fail(path: string, node: Node, copy: string): Promise<void> {
    const isCurrent = (await nodeAt(path).catch(() => undefined))?.id === node.id;
    if (!node.isFolder) {
      const content = isCurrent && this.#random(2) === 0 ? await readFile(path) : this.#contents.get(node.id);
      await writeFile(copy, content ?? '');
      return;
    }
    await mkdir(copy);
    const written: Names = isCurrent ? await namesIn(path) : new Map();
    const synced: Names = this.#names.get(node.id) ?? new Map();
    for (const name of new Set([...written.keys(), ...synced.keys()])) {
      const found = (this.#random(2) === 0 ? written : synced).get(name);
      if (found) await this.#fail(join(path, name), found, join(copy, name));
    }
  }
}

const withoutLastLine = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1);

async function nodeAt(path: string): Promise<Node> {
  const found = await stat(path, { bigint: true });
  return { id: `${found.ino} ${found.birthtimeNs}`, isFolder: found.isDirectory() };
}

async function namesIn(folder: string): Promise<Names> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.sock'));
  return new Map(await Promise.all(names.map(async (name) => [name, await nodeAt(join(folder, name))] as const)));
}

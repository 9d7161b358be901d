import { expect } from 'vitest';

export interface Upload {
  actions: { episode: string }[];
  answered: boolean;
}

/** Uploads of distinct episode actions, and checks of what is stored after a server was killed. */
export class Uploads {
  readonly #random: (limit: number) => number;
  readonly #all: Upload[] = [];

  constructor(random: (limit: number) => number) {
    this.#random = random;
  }

  get answered(): number {
    return this.#all.filter(({ answered }) => answered).length;
  }

  create(): Upload {
    const id = this.#all.length;
    const actions = Array.from({ length: 1 + this.#random(40) }, (_, index) => ({
      podcast: `http://example.org/feed/${this.#random(20)}`,
      episode: `http://example.org/${id}/${index}.mp3`,
      device: `device ${id % 5}`,
      action: 'play',
      timestamp: '2024-05-06T07:08:09',
      position: index,
      started: 0,
      total: 1 + this.#random(5000),
    }));
    const upload = { actions, answered: false };
    this.#all.push(upload);
    return upload;
  }

  /** Answered uploads are stored, others completely or not at all; nothing is stored twice. */
  expectIn(actions: readonly { episode: string }[]): void {
    const stored = new Map(actions.map((action) => [action.episode, action]));
    expect(stored.size, 'no action is stored twice').toBe(actions.length);
    for (const upload of this.#all) {
      const found = upload.actions.map(({ episode }) => stored.get(episode));
      if (upload.answered || found.some(Boolean)) expect(found).toEqual(upload.actions);
    }
  }
}

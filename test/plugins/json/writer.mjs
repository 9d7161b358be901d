// Writes to the folder it is given until it is killed, and prints what was acknowledged.
import { writeSync } from 'node:fs';
import json from '../../../dist/plugins/json/index.js';

const [, , dataDir, begin] = process.argv;
const store = await json.open(json.parse(''), { dataDir, log: () => undefined });
let next = Number(begin);
const write = async (user) => {
  let version = (await store.get([`u/${user}/head`]))[0]?.version ?? 0;
  for (;;) {
    const n = (next += 1);
    version = await store.commit({
      check: [[`u/${user}/head`, version]],
      set: [
        [`u/${user}/head`, `{"n":${n}}`],
        [`l/${user}/${String(n).padStart(9, '0')}`, JSON.stringify({ n, text: 'x'.repeat(10_000) })],
        [`p/${user}/${String(n).padStart(9, '0')}`, String(n)],
      ],
    });
    writeSync(1, `${user} ${n} ${version}\n`);
  }
};
await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(write));

import { createThread, serveThread } from '../../src/plugin.ts';
import type { Answer, Question } from './messages.ts';
import { createServer, type Server } from './serving.ts';

const ROLE = 'podsync-sqlite';

/** Where all storages of this process are: SQLite makes everybody in its thread wait. */
export const storageThread = createThread<Question, Answer>(import.meta.url, ROLE);

const servers = new Map<number, Server>();

serveThread<Question, Answer>(ROLE, (question) => {
  const { number } = question.place;
  const server = servers.get(number) ?? createServer();
  servers.set(number, server);
  if (question.request.kind === 'close') servers.delete(number);
  return server(question);
});

import { createThread, serveThread } from '../../../src/old-plugin.ts';
import type { Answer, Question } from './messages.ts';
import { createResponder, type Responder } from './responder.ts';

const ROLE = 'podsync-sqlite';

/** Where all storages of this process are: SQLite makes everybody in its thread wait. */
export const storageThread = createThread<Question, Answer>(import.meta.url, ROLE);

const responders = new Map<number, Responder>();

serveThread<Question, Answer>(ROLE, (question) => {
  const { number } = question.storage;
  const respond = responders.get(number) ?? createResponder();
  responders.set(number, respond);
  if (question.request.kind === 'close') responders.delete(number);
  return respond(question);
});

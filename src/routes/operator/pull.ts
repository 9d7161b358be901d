import { MAX_BODY } from '../../body-limits.ts';
import { invalid } from '../../domain/errors.ts';
import type { ImportChunk, ImportScope } from '../../domain/import-chunk.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { SCOPE_KINDS } from '../../domain/types.ts';
import { readTrustedObject } from '../../http/body.ts';
import { readParam, toStringArray, toStringFields } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';

/** Imports a chunk of an account on another server, and returns the result. */
export function createPullRoute({ administration, pull }: Pick<Services, 'administration' | 'pull'>): Handler {
  return async (event) => {
    const chunk = toChunk(await readTrustedObject(event, MAX_BODY.operatorPull));
    const { id } = await administration.find(readParam(event, 'user'));
    return json(await pull.importChunk(id, chunk));
  };
}

function toChunk(body: JsonObject): ImportChunk {
  switch (body.kind) {
    case 'device':
      return { kind: 'device', ...toStringFields(body, 'device', 'caption', 'type') };
    case 'subscriptions':
      return { kind: 'subscriptions', ...toStringFields(body, 'device'), urls: toStringArray(body.urls, 'urls') };
    case 'group':
      return { kind: 'group', devices: toStringArray(body.devices, 'devices') };
    case 'actions':
      if (!Array.isArray(body.actions)) throw invalid('"actions" must be an array');
      return { kind: 'actions', actions: body.actions };
    case 'settings':
      return { kind: 'settings', scope: toScope(toObject(body, 'scope')), values: toObject(body, 'values') };
    case 'list':
      return { kind: 'list', ...toStringFields(body, 'title'), urls: toStringArray(body.urls, 'urls') };
    default:
      throw invalid('"kind" must be device, subscriptions, group, actions, settings or list');
  }
}

function toScope({ scope, ...of }: JsonObject): ImportScope {
  const known = SCOPE_KINDS.find((each) => each === scope);
  if (!known) throw invalid(`"scope" must be one of ${SCOPE_KINDS.join(', ')}`);
  return { scope: known, ...toStringFields(of, ...Object.keys(of)) };
}

function toObject(body: JsonObject, key: string): JsonObject {
  const value = body[key];
  if (isJsonObject(value)) return value;
  throw invalid(`"${key}" must be an object`);
}

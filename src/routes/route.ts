import type { H3Event } from 'h3';
import type { BodyBudget } from '../http/body-budget.ts';
import type { BodyOptions } from '../http/body.ts';
import type { Identity } from '../http/identity.ts';
import type { OriginRules } from '../http/origin.ts';
import type { Reply } from '../http/reply.ts';
import type { Options } from '../options.ts';

export type Handler = (event: H3Event) => Reply | Promise<Reply>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * A row of a route table. If it has `formats`, the path ends with `.{format}`; any other format is a 400. `isChange`: whether
 * it changes something in the user's name, see `refuseForged`; by default, every method but GET does.
 */
export type Route = [method: Method, path: string, formats: readonly string[], handler: Handler, isChange?: boolean];

/** What handlers need besides the services. */
export interface RouteContext extends Pick<Options, 'maxBody' | 'directory'> {
  identity: Identity;
  /** Options for reading a body of a user or the operator. */
  bodyOptions(sender: string): BodyOptions;
  /** For forms that anybody can send. */
  formBudget: BodyBudget;
  /** The public address of this server, with which links begin. */
  origin: OriginRules;
  /** The address where the server listens, for printed links; set if there is no base URL. */
  address: { url?: string };
}

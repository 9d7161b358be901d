import type { H3Event } from 'h3';
import type { BodyBudget } from '../http/body-budget.ts';
import type { BodyOptions } from '../http/body.ts';
import type { Identity } from '../http/identity.ts';
import type { OriginRules } from '../http/origin.ts';
import type { Reply } from '../http/reply.ts';
import type { DirectoryMode, Viewer } from '../services/directory/directory.ts';

export type Handler = (event: H3Event) => Reply | Promise<Reply>;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A row of the route table. Where there are `formats`, its path goes on with `.{format}`, and any other is a 400. */
export interface Route {
  method: Method;
  path: string;
  formats: readonly string[];
  handler: Handler;
}

/** The same as it stands in a table. */
export type Row = [method: Method, path: string, formats: readonly string[], handler: Handler];

export const toRoute = ([method, path, formats, handler]: Row): Route => ({ method, path, formats, handler });

/** Who is asking, for answers that take notice of a login but ask for none. */
export const viewerOf =
  (event: H3Event, identity: Identity): Viewer =>
  async () =>
    (await identity.viewer(event))?.id;

/** What handlers need besides the services. */
export interface RouteContext {
  identity: Identity;
  /** Largest request body, in bytes. */
  maxBody: number;
  /** How a body of a user, or of the operator, is read. */
  bodyOptions(sender: string): BodyOptions;
  /** For the forms that anybody can send. */
  formBudget: BodyBudget;
  /** How the outside sees this server: links begin with it. */
  origin: OriginRules;
  /** Who may see the directory. */
  directory: DirectoryMode;
  /** Where the server listens, once it does and where it has no base URL: for links that are printed. */
  address: { url?: string };
}

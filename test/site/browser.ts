import type { TestServer } from '../server.ts';

/** A visitor with a browser without JavaScript, which keeps cookies and sends forms with their hidden fields. */
export interface Visitor {
  get(path: string): Promise<VisitedPage>;
  /** Opens the page at `path` and sends its form with `action`, or else the first one, with `fields`. */
  send(path: string, fields: Fields, action?: string): Promise<VisitedPage>;
  /** Sends a form that was opened before. */
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<VisitedPage>;
}

/** Values of fields by name: texts, files, and an array for several fields with one name, such as checkboxes. */
type Fields = Readonly<Record<string, string | Blob | readonly string[]>>;

export interface VisitedPage {
  status: number;
  html: string;
  location: string | null;
  headers: Headers;
}

export function openVisitor({ app }: Pick<TestServer, 'app'>, origin = 'http://localhost'): Visitor {
  const cookies = new Map<string, string>();

  const request = async (path: string, init: RequestInit = {}): Promise<VisitedPage> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { accept: 'text/html,*/*;q=0.8', ...(cookie && { cookie }) };
    const answer = await app.request(new URL(path, origin).href, { redirect: 'manual', headers, ...init });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    return { status: answer.status, html: await answer.text(), location, headers: answer.headers };
  };

  return {
    get: (path) => request(path),
    submit: (path, fields) => request(path, { method: 'POST', body: new URLSearchParams(fields) }),
    async send(path, fields, action) {
      const { html } = await request(path);
      const forms = [...html.matchAll(/<form[^>]*method="post"[^>]*>[^]*?<\/form>/g)].map(([form]) => form);
      const form = forms.find(
        (each) => action === undefined || each.includes(`action="${action?.replaceAll('&', '&amp;')}"`),
      );
      if (form === undefined) throw new Error(`no form ${action ?? ''} on ${path}:\n${html}`);
      const isMultipart = form.includes('enctype="multipart/form-data"');
      const body = isMultipart ? new FormData() : new URLSearchParams();
      for (const [, name, value] of form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)) {
        body.append(name!, decode(value!));
      }
      for (const [name, value] of Object.entries(fields)) {
        body.delete(name);
        for (const each of [value].flat()) body.append(name, each as string);
      }
      const target = action ?? decode(/action="([^"]*)"/.exec(form)?.[1] ?? path);
      return request(target, { method: 'POST', body });
    },
  };
}

/** A visitor who has signed in. */
export async function signIn(
  server: TestServer,
  name = 'bob',
  password = 'secret',
  base = 'http://localhost',
): Promise<Visitor> {
  const visitor = openVisitor(server, new URL(base).origin);
  const { status } = await visitor.send('/login', { name, password }, `${base}/login`);
  if (status !== 303) throw new Error(`could not sign in: ${status}`);
  return visitor;
}

/** The value of an attribute as text. */
export const decode = (value: string): string =>
  value.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name]!);

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

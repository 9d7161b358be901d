/*
 * The baseline: h3 routes that only parse the body and send a fixed response. Runs in a separate process; its argument
 * is the routes as JSON, `[{ "method", "path", "answer" }]`.
 */
import { createServer } from 'node:http';
import { H3, toNodeHandler } from 'h3';

const app = new H3();
for (const { method, path, answer } of JSON.parse(process.argv[2])) {
  app.on(method, path, async (event) => {
    if (method !== 'GET') await event.req.json();
    return answer;
  });
}
const server = createServer(toNodeHandler(app));
server.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}`));

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from 'offshoot/client';

const { AGENTS_URL = 'http://localhost:8787', OFFSHOOT_TOKEN = '', PORT = '3000' } = process.env;
const client = createClient({ baseUrl: AGENTS_URL, token: OFFSHOOT_TOKEN });
const page = readFileSync(new URL('page.html', import.meta.url));

// The server has the secret. The page gets a token that reads this one run, for an hour.
async function ask(question) {
  const address = `/agents/poet/${randomUUID()}`;
  await client.start(address, { message: question });
  const { token } = await client.createToken(address, { actions: ['read'], ttlSeconds: 3_600 });
  return { url: `${AGENTS_URL}${address}/stream?follow=run`, token };
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  try {
    const run = await ask(await text(request));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(run));
  } catch (error) {
    response.writeHead(502).end(String(error));
  }
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}`));

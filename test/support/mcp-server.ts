/** A server of MCP over HTTP with sessions, as its specification of 2025-06-18 says: strict about what clients send. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { portOf } from './ports';

/** How the server behaves; a test changes it while it runs. */
export interface Behaviour {
  /** `cut`: the stream of a call ends before its result. `broken`: its connection does. */
  call: 'answers' | 'streams' | 'cut' | 'broken';
  /** What says that a session is gone: a text, or an error of JSON-RPC that answers the request. */
  gone: 'text' | 'error';
  /** A call is answered with another session id, which is the one that counts then. */
  renews: boolean;
}

/** A running server. */
export interface McpServer {
  readonly url: string;
  readonly behaviour: Behaviour;
  /** What was asked, with the status of its answer, in order. */
  readonly asked: string[];
  /** The texts of the calls that have begun. */
  readonly begun: unknown[];
  /** Ends all sessions, as a restart does. */
  forget(): void;
  close(): Promise<void>;
}

const VERSION = '2025-06-18';
const ECHO = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};

/** Starts one on a free port. */
export async function startMcpServer(): Promise<McpServer> {
  const behaviour: Behaviour = { call: 'answers', gone: 'text', renews: false };
  const asked: string[] = [];
  const begun: unknown[] = [];
  const sessions = new Set<string>();

  const answer = (response: ServerResponse, what: string, status: number, body = '', headers = {}) => {
    asked.push(`${what} ${status}`);
    response.writeHead(status, headers).end(body);
  };
  const opened = () => {
    const id = randomUUID();
    sessions.add(id);
    return id;
  };
  const gone = (id: Json | undefined) =>
    behaviour.gone === 'text'
      ? 'There is no such session.'
      : JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_001, message: 'Session not found' } });

  const called = (response: ServerResponse, { id, params }: JsonObject, headers: object) => {
    begun.push(isObject(params) && isObject(params.arguments) ? params.arguments.text : undefined);
    const result = { content: [{ type: 'text', text: `${begun.at(-1)}` }] };
    const said = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (behaviour.call === 'answers')
      return answer(response, 'tools/call', 200, said, { ...headers, 'content-type': 'application/json' });
    asked.push('tools/call 200');
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    if (behaviour.call === 'broken') return response.write(': here\n\n', () => response.destroy());
    return response.end(behaviour.call === 'cut' ? '' : `event: message\ndata: ${said}\n\n`);
  };

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', headers } = request;
    const session = headers['mcp-session-id'];
    // It has nothing to say by itself, and ends its sessions by itself.
    if (method !== 'POST') return answer(response, method, 405);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
    const { method: what, id } = message;
    if (typeof what !== 'string') return answer(response, 'answer', 400);
    if (!headers.accept?.includes('application/json') || !headers.accept.includes('text/event-stream'))
      return answer(response, what, 406);
    if (headers['content-type'] !== 'application/json') return answer(response, what, 415);
    const json = { 'content-type': 'application/json' };
    if (what === 'initialize') {
      if (session !== undefined) return answer(response, what, 400, 'It begins a session.');
      const result = {
        protocolVersion: VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1' },
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id, result });
      return answer(response, what, 200, body, { ...json, 'mcp-session-id': opened() });
    }
    if (session === undefined) return answer(response, what, 400, 'Mcp-Session-Id is missing.');
    if (!sessions.has(`${session}`)) return answer(response, what, 404, gone(id), json);
    if (headers['mcp-protocol-version'] !== VERSION) return answer(response, what, 400, 'Another version.');
    if (id === undefined) return answer(response, what, 202);
    if (what === 'tools/call') {
      if (behaviour.renews) sessions.clear();
      return called(response, message, behaviour.renews ? { 'mcp-session-id': opened() } : {});
    }
    const result = { tools: [ECHO] };
    return answer(response, what, 200, JSON.stringify({ jsonrpc: '2.0', id, result }), json);
  };

  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ url: `http://127.0.0.1:${portOf(server)}/mcp`, behaviour, asked, begun },
    forget: () => sessions.clear(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

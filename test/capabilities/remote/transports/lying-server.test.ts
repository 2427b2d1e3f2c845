/** A server over real HTTP that serves a run as it should and then breaks its stream, in the middle of a live run. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRemoteSubAgentTool } from '../../../../src/capabilities/remote/define';
import { HttpRemoteAgentTransport } from '../../../../src/capabilities/remote/transports/http';
import type { RemoteLimits } from '../../../../src/capabilities/remote/transports/limits';
import { scriptedModel } from '../../../../src/model/scripted';
import type { Json } from '../../../../src/protocol/json';
import { createTestRuntime } from '../../../../src/testing';
import { command } from '../../../../src/verbs/command';
import { Tree } from '../../../support/harness';
import { agentOf, answer, noteTool, question } from '../../../support/trees';
import { type HostileServer, hostileServer, pour } from '../support/hostile-server';

/** What a real run says: its log, and its documents at its end. */
interface Recorded {
  readonly log: readonly string[];
  readonly status: Json;
  readonly usage: Json;
}

/** The run of a root that takes a note and then answers, as the agent `far` of this name. */
async function recorded(): Promise<Recorded> {
  const tree: Tree = new Tree((it) => ({
    agents: [agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(it)] })],
    scripts: {
      far: [{ text: 'Grüße.', calls: [{ name: 'note', input: { text: 'n' } }] }, { finish: { answer: 'far' } }],
    },
  }));
  await tree.run('{"q":"a"}');
  const root = tree.world.object(tree.address);
  const status = await tree.soon(command(root, tree.address, 'status', {}));
  const usage = await tree.soon(command(root, tree.address, 'usage', {}));
  const log = tree.log.map(({ sequence, chunk }) => `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`);
  tree.close();
  return { log, status: status as Json, usage: usage as Json };
}

/** Writes in place of the second half of the log, on its first connection; returns true where that stays open. */
type Lie = (
  response: ServerResponse,
  rest: { readonly next: number; readonly chunk: (body: object) => string },
  open: () => boolean,
) => unknown;

const HALF = 5;

/** The server, and the requests that it got. */
async function serving(
  { log, status, usage }: Recorded,
  lie: Lie,
): Promise<HostileServer & { readonly verbs: string[]; readonly stopped: Promise<void> }> {
  const verbs: string[] = [];
  const stopped = Promise.withResolvers<void>();
  let streams = 0;
  const server = await hostileServer((request, response, open) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://there');
    const [, , , name = '', verb = ''] = pathname.split('/');
    verbs.push(`${request.method} ${verb}`);
    const named = (text: string) => text.replaceAll('/agents/far/one', `/agents/far/${name}`);
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(named(JSON.stringify(body)));
    if (verb === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const from = Number(searchParams.get('from'));
      const isFirst = streams++ === 0;
      const events = log.slice(from - 1, isFirst ? HALF : log.length);
      for (const event of events) response.write(named(event));
      if (!isFirst) return response.end('event: end\ndata: {"status":"completed"}\n\n');
      const base = JSON.parse(named(log[HALF - 1] ?? '').split('data: ')[1] ?? '');
      const { agentId, agentType, address, runId, step, attempt, timestamp } = base;
      const facts = { agentId, agentType, address, runId, step, attempt, timestamp };
      const chunk = (body: object) => JSON.stringify({ ...facts, ...body });
      return lie(response, { next: HALF + 1, chunk }, open);
    }
    if (verb === 'abort') stopped.resolve();
    if (verb === 'status') return json(status);
    if (verb === 'usage') return json(usage);
    const { sessionId, run } = status as { sessionId: string; run: { chainRunId: string } };
    if (verb === 'start')
      return json({
        sessionId,
        runId: run.chainRunId,
        status: 'running',
        address: `/agents/far/${name}`,
        streamUrl: 's',
      });
    return json({ status: 'completed' });
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { verbs, stopped: stopped.promise });
}

/** What a call of the agent comes to in a live run, and what the run shows of it. */
async function called(lie: Lie, limits: Partial<RemoteLimits> = {}) {
  const server = await serving(await recorded(), lie);
  const far = createRemoteSubAgentTool('far', {
    description: 'Works elsewhere.',
    inputSchema: question,
    outputSchema: answer,
    remoteAgentType: 'Far',
    transport: () => new HttpRemoteAgentTransport({ url: server.url, allowLoopback: true, limits }),
  });
  const model = scriptedModel([{ calls: [{ name: 'subagent__far', input: { q: 'a' } }] }, { text: 'Done.' }]);
  const top = agentOf('top', { tools: [far], model });
  const runtime = createTestRuntime({ agents: [top], report: () => undefined });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(top, 'Go.');
  const result = await run.result();
  const [said] = run.messages().flatMap((one) => (one.role === 'tool' ? [one.result] : []));
  const types: string[] = [];
  for await (const { chunk } of run.stream()) if (chunk.address.includes('/sub/')) types.push(chunk.type);
  return { result, said, types, verbs: server.verbs, stopped: server.stopped, pending: run.pending() };
}

const event = (id: number | string, data: string): string => `id: ${id}\ndata: ${data}\n\n`;
const text = (delta: string) => ({ type: 'text_delta', part: 0, delta });

/** Rows that fail the task at once, with the fault of the remote agent. */
const FAILING: readonly (readonly [what: string, remote: string, lie: Lie, limits?: Partial<RemoteLimits>])[] = [
  [
    'half a character, and more behind it',
    'remote_invalid',
    (response) =>
      response.write(Buffer.concat([Buffer.from('id: 6\ndata: "'), Buffer.of(0xe2, 0x82), Buffer.from('"\n\n')])),
  ],
  [
    'a chunk of ten megabytes',
    'remote_too_large',
    (response, { next, chunk }) => response.write(event(next, chunk(text('x'.repeat(10_000_000))))),
  ],
  [
    'a line without an end',
    'remote_too_large',
    (response, _rest, open) => pour(response, 'x'.repeat(65_536), open),
    { maxEventCharacters: 200_000 },
  ],
  [
    'chunks without an end',
    'remote_too_large',
    async (response, { next, chunk }, open) => {
      for (let at = next; open(); at++)
        if (!response.write(event(at, chunk(text('x'.repeat(500)))))) await new Promise((turn) => setImmediate(turn));
    },
    { maxReplyCharacters: 50_000 },
  ],
  ['a sequence that goes back', 'remote_invalid', (response, { chunk }) => response.write(event(2, chunk(text('x'))))],
  [
    'a sequence beyond 2^53',
    'remote_invalid',
    (response, { chunk }) => response.write(event('9007199254740993', chunk(text('x')))),
  ],
  [
    'another agent',
    'remote_invalid',
    (response, { next, chunk }) =>
      response.write(event(next, chunk(text('x')).replace(/"address":"[^"]*"/, '"address":"/agents/top/one"'))),
  ],
  [
    'a chunk that is none',
    'remote_invalid',
    (response, { next, chunk }) => response.write(event(next, chunk({ type: 'text_delta', part: 'a' }))),
  ],
  [
    'text behind its end',
    'remote_invalid',
    (response, { next, chunk }) =>
      response.write(
        event(next, chunk({ type: 'run_completed', output: { answer: 'x' } })) + event(next + 1, chunk(text('more'))),
      ),
  ],
];

/** Rows after which the rest of the log is read by another connection. */
const MENDED: readonly (readonly [what: string, lie: Lie])[] = [
  [
    'half a character, and the connection is cut',
    (response) => response.end(Buffer.concat([Buffer.from('id: 6\ndata: "'), Buffer.of(0xe2)])),
  ],
  ['half an event, and the connection is lost', (response) => response.write('id: 6\nda', () => response.destroy())],
  ['an end before its end', (response) => response.end('event: end\ndata: {"status":"completed"}\n\n')],
  ['an answer that nobody asked for', (response) => response.end('event: answer\ndata: {"ok":true}\n\n')],
];

describe('a server that breaks its stream in the middle of a run', () => {
  const failing = FAILING.map(([what, remote, lie, limits = {}]) => ({ what, remote, lie, limits }));
  it.each(failing)(
    '[RM9, AE2] with $what fails the call, and gets a stop: $remote',
    async ({ remote, lie, limits }) => {
      const { result, said, types, verbs, stopped, pending } = await called(lie, limits);
      await stopped;
      expect(said).toMatchObject({ success: false, error: { code: 'subagent_failed', details: { remote } } });
      expect(result).toEqual({ status: 'completed', output: 'Done.' });
      expect(types.filter((type) => /^run_(?:completed|failed)$/.test(type))).toHaveLength(1);
      expect(verbs.filter((verb) => verb === 'POST start')).toHaveLength(1);
      expect(pending).toEqual([]);
    },
  );

  it.each(MENDED)('[RM3, RM5] with %s is read on from there, each chunk once', async (_what, lie) => {
    const { said, types, verbs } = await called(lie);
    expect(said).toEqual({ success: true, value: { answer: 'far' } });
    const { log } = await recorded();
    expect(types).toHaveLength(log.length);
    expect(verbs.filter((verb) => verb === 'GET stream').length).toBeGreaterThan(1);
    expect(verbs).not.toContain('POST abort');
  });
});

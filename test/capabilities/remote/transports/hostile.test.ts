import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { givenAnswer } from '../../../../src/capabilities/remote/transports/answer';
import { HttpRemoteAgentTransport } from '../../../../src/capabilities/remote/transports/http';
import { boundedJson } from '../../../../src/capabilities/remote/transports/json';
import { REMOTE_LIMITS, type RemoteLimits } from '../../../../src/capabilities/remote/transports/limits';
import { RemoteError, type RemoteEvent } from '../../../../src/core/definition/remote-transport';
import { DATA_LIMITS } from '../../../../src/protocol/data-limits';
import type { Json } from '../../../../src/protocol/json';
import { figures } from '../../../support/sizes';
import { type Behaviour, type HostileServer, hostileServer, pour } from '../support/hostile-server';

const MiB = 1_048_576;
const MANY = '[],'.repeat(DATA_LIMITS.maxContainers);
const agent = { addressClass: 'researcher', name: 'r1' };
const address = '/agents/researcher/r1';

let server: HostileServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function transportTo(
  behaviour: Behaviour,
  limits: Partial<RemoteLimits> = {},
): Promise<HttpRemoteAgentTransport> {
  server = await hostileServer(behaviour);
  return new HttpRemoteAgentTransport({ url: server.url, allowLoopback: true, limits });
}

const quiet = () => new AbortController().signal;

/** The failure that it must be. */
async function failed(asked: Promise<unknown>): Promise<RemoteError> {
  try {
    const given = await asked;
    throw new Error(`It was taken: ${JSON.stringify(given)}`);
  } catch (error) {
    if (error instanceof RemoteError) return error;
    throw error;
  }
}

async function read(transport: HttpRemoteAgentTransport, from = 1, into: RemoteEvent[] = []): Promise<RemoteEvent[]> {
  for await (const event of transport.stream({ agent, from, signal: quiet() })) into.push(event);
  return into;
}

const status = (transport: HttpRemoteAgentTransport) => transport.call({ verb: 'status', agent, signal: quiet() });

const text = (delta = 'x') => ({
  ...{ agentId: 's', agentType: 'researcher', address, runId: 's.1', step: 1, attempt: 1, timestamp: 1 },
  ...{ type: 'text_delta', part: 0, delta },
});
const event = (sequence: number | string, chunk: object = text()) =>
  `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`;
/** A chunk of a type that is sent again. */
const twice = (type: string) => [event(1, { ...text(), type }), event(1, { ...text(), type })];
const END = 'event: end\ndata: {"status":"completed"}\n\n';

const sse = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
const json = (response: ServerResponse, code = 200) => response.writeHead(code, { 'content-type': 'application/json' });
const streamed =
  (...pieces: (string | Buffer)[]): Behaviour =>
  (_request, response) => {
    sse(response);
    for (const piece of pieces) response.write(piece);
    response.end();
  };
const answered =
  (body: string | Buffer, code = 200): Behaviour =>
  (_request, response) =>
    json(response, code).end(body);

describe('streams of a hostile remote', () => {
  it('[AE2] a lawful one is given on, with what a newer server says left out', async () => {
    const transport = await transportTo(
      streamed(': hello\n\n', event(1), 'event: later\ndata: ?\n\n', event(4), 'event: up-to-date\ndata: {}\n\n', END),
    );
    const events = await read(transport);
    expect(events.map((each) => (each.type === 'chunk' ? each.sequence : each.type))).toEqual([
      1,
      4,
      'up_to_date',
      'end',
    ]);
  });

  it('[AE2] fields that no type of chunk has are not given on', async () => {
    const transport = await transportTo(streamed(event(1, { ...text(), evil: 'x' }), END));
    expect((await read(transport))[0]).toEqual({ type: 'chunk', sequence: 1, chunk: text() });
  });

  it.each<[string, readonly (string | Buffer)[], string, string]>([
    ['nothing at all', [], 'remote_unreachable', 'cut'],
    ['no end', [event(1), event(2)], 'remote_unreachable', 'cut'],
    ['an event cut within', [event(1), 'id: 2\ndata: {"ty'], 'remote_unreachable', 'cut'],
    ['a repeated event', [event(1), event(1), END], 'remote_invalid', 'repeated'],
    ['the wrong order', [event(3), event(1), END], 'remote_invalid', 'out_of_order'],
    ['a sequence that was not asked for', [event(0), END], 'remote_invalid', 'shape'],
    ['no sequence', [`data: ${JSON.stringify(text())}\n\n`], 'remote_invalid', 'shape'],
    ['a sequence that is no safe number', [event('9999999999999999'), END], 'remote_invalid', 'shape'],
    ['a reset on the way back', [event(5), 'event: reset\ndata: {"from":2}\n\n'], 'remote_invalid', 'out_of_order'],
    [
      'a second reset',
      ['event: reset\ndata: {"from":9}\n\n', 'event: reset\ndata: {"from":2}\n\n'],
      'remote_invalid',
      'out_of_order',
    ],
    ...['"x"', '0', '-1', '1.5', '9007199254740992', 'null'].map((from): [string, string[], string, string] => {
      return [`a reset to ${from}`, [`event: reset\ndata: {"from":${from}}\n\n`], 'remote_invalid', 'shape'];
    }),
    ['HTML for events', ['<html><body>Hello</body></html>\n\n'], 'remote_unreachable', 'cut'],
    ['data that is no JSON', ['id: 1\ndata: {x}\n\n'], 'remote_invalid', 'not_json'],
    ['data that is no object', ['id: 1\ndata: [1]\n\n'], 'remote_invalid', 'shape'],
    ['an unknown type without a run', [event(1, { type: 'boom', address })], 'remote_invalid', 'bad_chunk'],
    [
      'an unknown type of another agent',
      [event(1, { ...text(), type: 'boom', address: '/agents/researcher/r10' })],
      'remote_invalid',
      'foreign_address',
    ],
    ['an unknown type twice', twice('boom'), 'remote_invalid', 'repeated'],
    ['a chunk without a type', [event(1, { ...text(), type: 7 })], 'remote_invalid', 'bad_chunk'],
    ['a field of another type', [event(1, { ...text(), delta: 7 })], 'remote_invalid', 'bad_chunk'],
    ['an id that is a book', [event(1, { ...text(), agentId: 'x'.repeat(1_025) })], 'remote_invalid', 'bad_chunk'],
    [
      'another agent',
      [event(1, { ...text(), address: '/agents/researcher/r10' })],
      'remote_invalid',
      'foreign_address',
    ],
    [
      'an unknown status',
      [event(1), 'event: end\ndata: {"status":"victorious"}\n\n'],
      'remote_invalid',
      'unknown_status',
    ],
    ['an end without a status', ['event: end\ndata: {}\n\n'], 'remote_invalid', 'unknown_status'],
    ['bytes that are no UTF-8', ['id: 1\ndata: "', Buffer.of(0xff, 0xc3, 0x28), '"\n\n'], 'remote_invalid', 'not_utf8'],
    ['deep JSON', [`id: 1\ndata: ${'['.repeat(100_000)}\n\n`], 'remote_too_large', 'too_deep'],
    ['a prototype as a key', ['id: 1\ndata: {"a":{"__proto__":{}}}\n\n'], 'remote_invalid', 'shape'],
    ['a refusal that is none', ['event: refused\ndata: {"no":1}\n\n'], 'remote_invalid', 'shape'],
    ['a prototype as an escaped key', ['id: 1\ndata: {"a":{"__pr\\u006fto__":{}}}\n\n'], 'remote_invalid', 'shape'],
    ['more lists than memory has room for', [`id: 1\ndata: [${MANY}]\n\n`], 'remote_too_large', 'too_many_parts'],
  ])('[AE2, AE3, AE17, AE29, JS8] %s', async (_what, pieces, code, fault) => {
    const transport = await transportTo(streamed(...pieces));
    const error = await failed(read(transport));
    expect([error.code, error.fault]).toEqual([code, fault]);
  });

  it.each(['boom', 'constructor'])(
    '[RM35, RM96] passes over a chunk of the type %s, with its sequence and size',
    async (type) => {
      const unknown = { ...text(), type, more: 'é' };
      const transport = await transportTo(streamed(event(1), event(2, unknown), event(3), END));
      expect(await read(transport)).toMatchObject([
        { type: 'chunk', sequence: 1 },
        { type: 'passed_over', sequence: 2, bytes: Buffer.byteLength(JSON.stringify(unknown)) },
        { type: 'chunk', sequence: 3 },
        { type: 'end' },
      ]);
    },
  );

  it('[AE3] what was asked for is where it begins, and the first reset says where that is', async () => {
    const transport = await transportTo(streamed('event: reset\ndata: {"from":3}\n\n', event(3), END));
    expect((await read(transport, 9))[0]).toEqual({ type: 'reset', from: 3 });
    for (const from of [1, Number.MAX_SAFE_INTEGER]) {
      const edge = await transportTo(streamed(`event: reset\ndata: {"from":${from}}\n\n`, END));
      expect((await read(edge, 9))[0]).toEqual({ type: 'reset', from });
    }
    const early = await transportTo(streamed(event(8), END));
    expect((await failed(read(early, 9))).fault).toBe('out_of_order');
  });

  it('[AE3, AE18] what came before a fault was given, in order', async () => {
    const given: RemoteEvent[] = [];
    const transport = await transportTo(streamed(event(1), event(2), event(2)));
    await failed(read(transport, 1, given));
    expect(given.map((each) => each.type === 'chunk' && each.sequence)).toEqual([1, 2]);
  });

  it('[AE2] a stream that is refused on its way says so, and one that answers with something else', async () => {
    const problem = { code: 'gone', title: 'Gone.', status: 410 };
    const ended = await transportTo(streamed(event(1), `event: refused\ndata: ${JSON.stringify(problem)}\n\n`));
    expect(await failed(read(ended))).toMatchObject({ code: 'remote_refused', refusal: problem, retryable: false });
    const missing = await transportTo(answered(JSON.stringify({ code: 'not_found', title: 'No.' }), 404));
    expect(await failed(read(missing))).toMatchObject({
      code: 'remote_refused',
      refusal: { code: 'not_found', status: 404 },
    });
    const page = await transportTo((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<html>'),
    );
    expect((await failed(read(page))).fault).toBe('media_type');
    const other = await transportTo(answered('{}'));
    expect((await failed(read(other))).fault).toBe('media_type');
  });

  it('[AE2] an event is as long as it may be, and no longer', async () => {
    const whole = event(1, text('x'.repeat(500)));
    const [, data = ''] = whole.split('\n');
    // What is counted: the line, and the data with its end.
    const fits = await transportTo(streamed(whole, END), { maxEventCharacters: data.length });
    expect(await read(fits)).toHaveLength(2);
    const over = await transportTo(streamed(whole, END), { maxEventCharacters: data.length - 1 });
    expect(await failed(read(over))).toMatchObject({ code: 'remote_too_large', fault: 'event_too_large' });
  });

  it('[AE2] a connection gives as many bytes as it may; one that gave something is taken up again', async () => {
    const pieces = [event(1), END];
    const size = Buffer.byteLength(pieces.join(''));
    const fits = await transportTo(streamed(pieces.join('')), { maxStreamBytes: size });
    expect(await read(fits)).toHaveLength(2);
    const over = await transportTo(streamed(pieces.join('')), { maxStreamBytes: size - 1 });
    expect(await failed(read(over))).toMatchObject({ fault: 'stream_too_large', retryable: false });
    const endless = await transportTo(
      (_request, response, open) => {
        sse(response).write(event(1));
        return pour(response, `: ${'x'.repeat(1_000)}\n\n`, open);
      },
      { maxStreamBytes: 4 * MiB },
    );
    expect(await failed(read(endless))).toMatchObject({ fault: 'stream_too_large', retryable: true });
  });

  it('[AE2] one that does not begin, goes silent, or takes too long is left', async () => {
    const never = await transportTo(() => undefined, { openMs: 20 });
    expect(await failed(read(never))).toMatchObject({ code: 'remote_timed_out', fault: 'silent', retryable: true });
    const silent = await transportTo((_request, response) => sse(response).write(event(1)), { idleMs: 20 });
    expect(await failed(read(silent))).toMatchObject({ code: 'remote_timed_out', fault: 'silent' });
    const busy = await transportTo((_request, response, open) => pour(sse(response), ': x\n\n', open), {
      streamMs: 50,
    });
    expect(await failed(read(busy))).toMatchObject({ code: 'remote_timed_out', fault: 'too_slow', retryable: true });
  });

  it('[AE8] a reader that stops, or whose signal aborts, lets go of the connection', async () => {
    const transport = await transportTo((_request, response, open) => {
      sse(response);
      let sequence = 0;
      const more = () => {
        while (open() && response.write(event(++sequence)));
      };
      response.on('drain', more);
      more();
    });
    for await (const each of transport.stream({ agent, from: 1, signal: quiet() })) {
      expect(each.type).toBe('chunk');
      break;
    }
    const away = new AbortController();
    const reason = new Error('gone');
    const reading = (async () => {
      for await (const _ of transport.stream({ agent, from: 1, signal: away.signal })) away.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    const done = new AbortController();
    done.abort(reason);
    await expect(transport.call({ verb: 'status', agent, signal: done.signal })).rejects.toBe(reason);
  });

  it('[AE8] a reader whose signal aborts is told nothing of what came together with what it had', async () => {
    const transport = await transportTo(streamed(event(1) + event(2) + END));
    const away = new AbortController();
    const reason = new Error('gone');
    const told: RemoteEvent[] = [];
    const reading = (async () => {
      for await (const each of transport.stream({ agent, from: 1, signal: away.signal })) {
        told.push(each);
        away.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(told).toHaveLength(1);
  });
});

describe('answers of a hostile remote', () => {
  const standing = {
    ...{ sessionId: 's', agentType: 'researcher', address, lastSequence: 1, tags: [], pending: [] },
    childCounts: { running: 0, queued: 0, waiting: 0, total: 0 },
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, toolCalls: 0 },
    controls: {
      ...{ start: true, send: true, interrupt: true, abort: true, terminate: true },
      ...{ resume: true, retry: true, submit: true, fork: true, remove: true },
    },
  };

  it('[AE1, AE16] an answer is what its schema says, and a refusal is an answer', async () => {
    const controls = { ...standing.controls, later: true };
    const good = await transportTo(answered(JSON.stringify({ ...standing, status: 'running', controls, evil: 1 })));
    expect(await status(good)).toEqual({ ok: true, body: { ...standing, status: 'running' } });
    const problem = { code: 'later_code', title: 'No.', detail: 'Because.', status: 200, more: { a: 1 } };
    const refused = await transportTo(answered(JSON.stringify(problem), 409));
    expect(await status(refused)).toEqual({
      ok: false,
      code: 'later_code',
      title: 'No.',
      detail: 'Because.',
      status: 409,
    });
  });

  it('[RM26, AE2, RM88] a refusal has the details that it has there, and none that are too large or too deep', async () => {
    const problem = { code: 'already_answered', title: 'No.' };
    const refused = async (details: Json, limits: Partial<RemoteLimits> = {}) => {
      await server?.close();
      return status(await transportTo(answered(JSON.stringify({ ...problem, details }), 409), limits));
    };
    const details = { decision: { approved: true, actor: 'ann' } };
    expect(await refused(details)).toEqual({ ok: false, ...problem, details, status: 409 });
    await expect(refused('x'.repeat(1_000), { maxAnswerBytes: 1_000 })).rejects.toMatchObject({
      fault: 'body_too_large',
    });
    await expect(refused([[['x']]], { maxDepth: 3 })).rejects.toMatchObject({ fault: 'too_deep' });
  });

  it.each<[string, Behaviour, string, string]>([
    [
      'an unknown status',
      answered(JSON.stringify({ ...standing, status: 'victorious' })),
      'remote_invalid',
      'unknown_status',
    ],
    ['another document', answered('{"hello":1}'), 'remote_invalid', 'shape'],
    ['no JSON', answered('{'), 'remote_invalid', 'not_json'],
    ['nothing', answered(''), 'remote_invalid', 'not_json'],
    [
      'HTML',
      (_request, response) => response.setHeader('content-type', 'text/html').end('<html>'),
      'remote_invalid',
      'media_type',
    ],
    [
      'HTML for an error',
      (_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>'),
      'remote_invalid',
      'media_type',
    ],
    ['an error without a code', answered('{"title":"No."}', 400), 'remote_invalid', 'shape'],
    [
      'a broken server',
      (_request, response) => response.writeHead(502).end('bad gateway'),
      'remote_unreachable',
      'server_error',
    ],
    ['a busy front', answered('{}', 429), 'remote_unreachable', 'server_error'],
    ['deep JSON', answered(`${'{"a":'.repeat(111)}1${'}'.repeat(111)}`), 'remote_too_large', 'too_deep'],
    ['invalid UTF-8', answered(Buffer.of(0x22, 0xff, 0x22)), 'remote_invalid', 'not_utf8'],
    ['UTF-8 cut at its end', answered(Buffer.of(0x22, 0xe2, 0x82)), 'remote_invalid', 'not_utf8'],
    [
      'a cut connection',
      (_request, response) => json(response).write('{', () => response.destroy()),
      'remote_unreachable',
      'cut',
    ],
    ['a closed door', (request) => request.socket.destroy(), 'remote_unreachable', 'no_connection'],
  ])('[AE1, AE2, AE16, AE17] %s', async (_what, behaviour, code, fault) => {
    const error = await failed(status(await transportTo(behaviour)));
    expect([error.code, error.fault]).toEqual([code, fault]);
  });

  it('[AE29] what a call within the platform gives has no such key either', () => {
    const given = (text: string) => () => givenAnswer('status', JSON.parse(text), REMOTE_LIMITS);
    const refusal = '{"ok":false,"code":"gone","title":"Gone.","status":410,"details":{"a":1}}';
    expect(given(refusal)()).toMatchObject({ ok: false, details: { a: 1 } });
    expect(given(refusal.replace('"a"', '"__proto__"'))).toThrow('The answer to "status" has the key "__proto__".');
  });

  it('[AE2] an answer has as many bytes and levels as it may, and no more', async () => {
    const body = JSON.stringify({ ...standing, status: 'running', metadata: [[['x']]] });
    const size = Buffer.byteLength(body);
    const ask = async (limits: Partial<RemoteLimits>) => status(await transportTo(answered(body), limits));
    expect(await ask({ maxAnswerBytes: size, maxDepth: 4 })).toMatchObject({ ok: true });
    expect((await failed(ask({ maxAnswerBytes: size - 1 }))).fault).toBe('body_too_large');
    expect((await failed(ask({ maxDepth: 3 }))).fault).toBe('too_deep');
  });

  it('[AE2] a call takes as long as it may, and its caller’s deadline is one', async () => {
    const slow = await transportTo((_request, response, open) => pour(json(response), ' ', open, 10), {
      idleMs: 10_000,
    });
    expect(await failed(status(slow))).toMatchObject({ fault: 'not_json' });
    const silent = await transportTo((_request, response) => json(response).write('{'), { idleMs: 20 });
    expect(await failed(status(silent))).toMatchObject({ code: 'remote_timed_out', fault: 'silent' });
    const never = await transportTo(() => undefined, { callMs: 20 });
    expect(await failed(status(never))).toMatchObject({ code: 'remote_timed_out', fault: 'too_slow' });
    const late = await transportTo(() => undefined);
    const caller = { subject: 'a', deadline: Date.now() - 1 };
    expect((await failed(late.call({ verb: 'status', agent, caller, signal: quiet() }))).fault).toBe('too_slow');
  });
});

describe('memory', () => {
  const grown: string[] = [];
  figures('what hostile remotes leave in memory', () => grown.join(', '));

  it.each<[string, Behaviour, string]>([
    [
      'a body of 10 GB',
      (_request, response, open) => pour(json(response), Buffer.alloc(MiB, '1'), open, 10_000 * MiB),
      'body_too_large',
    ],
    [
      'an endless line',
      (_request, response, open) => pour(sse(response), Buffer.alloc(MiB, 'x'), open),
      'event_too_large',
    ],
    [
      'an endless event',
      (_request, response, open) => pour(sse(response), `data: ${'x'.repeat(MiB)}\n`, open),
      'event_too_large',
    ],
    [
      'comments without end',
      (_request, response, open) => pour(sse(response), Buffer.from(`:${'x'.repeat(MiB)}\n`), open),
      'stream_too_large',
    ],
    [
      'events that say nothing',
      (_request, response, open) => pour(sse(response), 'event: up-to-date\ndata: {}\n\n'.repeat(20_000), open),
      'stream_too_large',
    ],
    [
      'brackets',
      (_request, response, open) => pour(sse(response), `id: 1\ndata: ${'['.repeat(15 * MiB)}\n\n`, open),
      'too_deep',
    ],
  ])('[AE4] %s costs a bounded amount of it', async (what, behaviour, fault) => {
    const transport = await transportTo(behaviour, { maxStreamBytes: 64 * MiB });
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = () => {
      most = Math.max(most, process.memoryUsage().rss);
    };
    const stream = async () => {
      for await (const _ of transport.stream({ agent, from: 1, signal: quiet() })) watch();
    };
    const error = await failed(fault === 'body_too_large' ? status(transport) : stream());
    watch();
    expect(error.fault).toBe(fault);
    grown.push(`${what} ${Math.round((most - before) / MiB)} MiB`);
    expect(most - before).toBeLessThan(300 * MiB);
  });
});

it('[JS5, AE2] JSON with one key twice is refused', () => {
  const twice = '{ "amount": 5, "to": "a", "amount": 5000 }';
  expect(() => boundedJson(twice, 10, 'Its answer')).toThrow('Its answer has the key "amount" twice');
});

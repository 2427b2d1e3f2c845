/** The tables of what is taken from a remote agent, held to the schemas of everything that it may send. */
import { describe, expect, it } from 'vitest';
import {
  type Held,
  heldAfter,
  NOTHING_HELD,
  nothingWaits,
  withPassedOver,
} from '../../../../src/capabilities/remote/machine/held';
import { isFree, localChunk, localDocument, namesOf, remoteId } from '../../../../src/capabilities/remote/machine/ids';
import { checkTaken, RANGES, withTimes } from '../../../../src/capabilities/remote/machine/numbers';
import { REMOTE_VERBS } from '../../../../src/capabilities/remote/transports/verbs';
import { type RemoteBounds, RemoteError } from '../../../../src/core/definition/remote-transport';
import { CHUNKS, type Chunk, chunkBaseSchema } from '../../../../src/protocol/chunks';
import type { Json } from '../../../../src/protocol/json';
import { type Leaf, leavesOf } from './leaves';

/** Every field of a chunk, by its type. */
const ofChunks = Object.entries(CHUNKS).map(([type, { fields }]) => {
  const own = Object.entries(fields).flatMap(([name, { schema }]) => leavesOf(schema, [name]));
  return { type, leaves: [...leavesOf(chunkBaseSchema), ...own] };
});
const ofDocuments = Object.entries(REMOTE_VERBS).map(([type, { answer }]) => ({ type, leaves: leavesOf(answer) }));
const EVERYTHING = [...ofChunks, ...ofDocuments];

const isOfRecord = ({ path }: Leaf): boolean => path.includes('limits') || path.includes('used');
const nameOf = ({ path }: Leaf): string => path.findLast((name) => name !== '*') ?? '';

/** Texts that name nothing here: words, labels, words for people, and what another system knows it by. */
const WORDS = new Set([
  ...['agentType', 'agent', 'subAgentType', 'toolName', 'name', 'model', 'finishReason', 'hook', 'hookId', 'from'],
  ...['delta', 'text', 'statusText', 'reason', 'attachments', 'summary', 'notes', 'input', 'displayName', 'tags'],
  ...['code', 'category', 'message', 'title', 'failureReason', 'completionReason', 'speaker', 'actor', 'status'],
  ...['responseId', 'traceparent', 'inputHash', 'cursor', 'activeAgent', 'action', 'description', 'declaredBy'],
  ...['reference', 'threadName', 'streamUrl', 'detail', 'spawnGroupId'],
  ...['providerCallId', 'sourceId', 'url', 'mediaType', 'filename', 'path', 'etag', 'omitted', 'outputKey'],
]);

const at = (path: readonly string[], value: Json): Json =>
  path.reduceRight<Json>((inner, name) => ({ [name === '*' ? 'any' : name]: inner }), value);

const faultOf = (take: () => unknown): string | undefined => {
  try {
    take();
    return undefined;
  } catch (error) {
    if (error instanceof RemoteError) return error.code;
    throw error;
  }
};

describe('the numbers of a remote agent', () => {
  const numbers = EVERYTHING.flatMap(({ type, leaves }) =>
    leaves.filter(({ kind, path }) => kind === 'number' && !path.some(isFree)).map((leaf) => ({ type, leaf })),
  );

  it('[RM29] every one of a chunk or a document has a row, and no row is left over', () => {
    const named = numbers.filter(({ leaf }) => !isOfRecord(leaf));
    const missing = named.filter(({ leaf }) => !Object.hasOwn(RANGES, nameOf(leaf)));
    expect(missing.map(({ type, leaf }) => `${type} ${leaf.path.join('.')}`)).toEqual([]);
    const used = new Set(named.map(({ leaf }) => nameOf(leaf)));
    expect(Object.keys(RANGES).filter((name) => !used.has(name))).toEqual([]);
    expect(numbers.length).toBeGreaterThan(200);
  });

  it('[RM29] each is taken at both ends of its range, and refused one past them', () => {
    for (const { type, leaf } of numbers) {
      const { most, whole } = RANGES[nameOf(leaf)] ?? { most: Number.MAX_SAFE_INTEGER };
      const take = (value: number) => faultOf(() => checkTaken(at(leaf.path, value)));
      const what = `${type} ${leaf.path.join('.')}`;
      for (const value of [0, most]) expect(take(value), `${what} ${value}`).toBeUndefined();
      const wrong = [-1, most * 1.000_001, 1e308, Number.NaN, Number.POSITIVE_INFINITY, ...(whole ? [0.5] : [])];
      for (const value of wrong) expect(take(value), `${what} ${value}`).toBe('remote_invalid');
    }
  });

  it('[RM29] a field that is not known yet is held to what a number holds exactly, and JSON of an author to nothing', () => {
    expect(faultOf(() => checkTaken({ items: [{ later: 1e17 }] }))).toBe('remote_invalid');
    expect(faultOf(() => checkTaken({ items: [{ later: 7 }], state: { any: -1e300 } }))).toBeUndefined();
    // No table has a row that every object has by nature.
    expect(faultOf(() => checkTaken({ constructor: -1 }))).toBe('remote_invalid');
  });

  it('[RM27] an id of a document that is kept has at most as many characters as one that is shown', () => {
    const take = (length: number, field: string) => faultOf(() => checkTaken({ run: { [field]: 's'.repeat(length) } }));
    for (const field of ['sessionId', 'runId', 'chainRunId', 'messageId']) {
      expect(take(1_024, field)).toBeUndefined();
      expect(take(1_025, field)).toBe('remote_invalid');
    }
    expect(take(1_025, 'reason')).toBeUndefined();
  });

  it('[RM30] every time of a chunk is one of its task', () => {
    const times = Object.entries(RANGES).filter(([, { time }]) => time !== undefined);
    for (const { type, leaves } of ofChunks)
      for (const leaf of leaves.filter((one) => times.some(([name]) => name === nameOf(one)))) {
        // A time that is deeper would be passed over.
        expect(leaf.path, type).toHaveLength(1);
        const told = (value: number) =>
          Reflect.get(withTimes(chunkOf({ [nameOf(leaf)]: value }), { from: 100, now: 200 }), nameOf(leaf));
        const isDue = RANGES[nameOf(leaf)]?.time === 'due';
        expect([told(1), told(100), told(150), told(200), told(1_000)]).toEqual([
          100,
          100,
          150,
          200,
          isDue ? 1_000 : 200,
        ]);
      }
  });
});

const place = {
  ...{ sessionId: 's_here', address: '/agents/top/one/sub/far/1~1', agentType: 'far', runId: 'r_here' },
  ...{ addressClass: 'far', name: 'r-1' },
};
const THERE = '/agents/far/r-1';

/** A chunk with these fields, of an agent below the root there. */
function chunkOf(fields: object): Chunk {
  const base = {
    agentId: 's_x',
    agentType: 'leaf',
    address: `${THERE}/sub/leaf/1~1`,
    runId: 'r_x',
    step: 1,
    attempt: 1,
  };
  const chunk: Chunk = { ...base, timestamp: 150, type: 'unsuspended' };
  return Object.assign(chunk, fields);
}

describe('the ids of a remote agent', () => {
  it('[RM27] every text of a chunk or a document names something, or is known as a word; all JSON is known as such', () => {
    const open = EVERYTHING.flatMap(({ type, leaves }) =>
      leaves
        .filter(({ path }) => !path.slice(0, -1).some(isFree))
        .filter((leaf) => {
          const isId = namesOf(nameOf(leaf), type) !== undefined;
          if (leaf.kind === 'json') return !isFree(nameOf(leaf));
          return leaf.kind === 'text' && isId === WORDS.has(nameOf(leaf)) && !(isId && nameOf(leaf) === 'from');
        })
        .map(({ path }) => `${type} ${path.join('.')}`),
    );
    expect(open).toEqual([]);
  });

  it('[RM4, RM27] every id of every chunk is below the session of the child, and every address below its own', () => {
    for (const { type, leaves } of ofChunks)
      for (const leaf of leaves) {
        const names = namesOf(nameOf(leaf), type);
        if (names === undefined || leaf.kind !== 'text') continue;
        const given = names === 'address' ? `${THERE}/sub/leaf/2~1` : 'c_local';
        const [outer = '', ...inner] = leaf.path;
        const value = inner.length === 0 ? given : [at(inner, given)];
        const mapped: unknown = Reflect.get(localChunk(place, chunkOf({ type, [outer]: value })), outer);
        const expected = names === 'address' ? `${place.address}/sub/leaf/2~1` : 's_here.c_local';
        expect(mapped, `${type} ${leaf.path.join('.')}`).toEqual(inner.length === 0 ? expected : [at(inner, expected)]);
        if (names === 'address')
          expect(faultOf(() => localChunk(place, chunkOf({ type, [outer]: '/agents/top/one' })))).toBe(
            'remote_invalid',
          );
      }
  });

  it('[RM4] a chunk of the remote root is one of the child itself, and one from below keeps who it is of', () => {
    const { sessionId: agentId, agentType, runId, address } = place;
    expect(localChunk(place, chunkOf({ address: THERE }))).toMatchObject({ agentId, agentType, runId, address });
    const below = { agentId: 's_here.s_x', agentType: 'leaf', runId: 's_here.r_x' };
    expect(localChunk(place, chunkOf({}))).toMatchObject(below);
    // No table has a row that every object has by nature.
    const natural = { constructor: 'a', toString: 'b', valueOf: 7, hasOwnProperty: null };
    expect(localDocument(place, natural)).toEqual(natural);
    expect(withTimes(chunkOf(natural), { from: 100, now: 200 })).toEqual(chunkOf(natural));
  });

  it('[RM27] a document has them too, and JSON of an author is as it came', () => {
    const free = { toolCallId: 'c_1', address: '/agents/top/one' };
    const document = {
      items: [{ toolCallId: 'c_1', subAddress: THERE, subSessionId: 's_2', result: free, input: free }],
    };
    expect(localDocument(place, document)).toEqual({
      items: [
        {
          ...{ toolCallId: 's_here.c_1', subAddress: place.address, subSessionId: 's_here.s_2' },
          result: free,
          input: free,
        },
      ],
    });
    for (const subAddress of [
      ...['/agents/top/one', `/agents/top/one${THERE}/sub/leaf/1~1`, `${THERE}2`, `${THERE}/files/x`],
      // A URL would resolve the first two to another agent.
      ...[`${THERE}/sub/../../../other/victim`, `${THERE}/sub/leaf/1~1/../../../../../other/victim`],
      ...[`${THERE}/sub/leaf/1~1/abort`, `${THERE}/sub/leaf/1~1?a=1`, `${THERE}/sub/Leaf/1~1`, `${THERE}/sub/leaf`],
    ])
      expect(
        faultOf(() => localDocument(place, { items: [{ subAddress }] })),
        subAddress,
      ).toBe('remote_invalid');
  });

  it('[RM27] an answer is sent with the remote id; an id of another agent has none', () => {
    expect([remoteId(place, 's_here.c_1'), remoteId(place, 's_here.s_there.c_1')]).toEqual(['c_1', 's_there.c_1']);
    for (const id of ['c_1', 'x.s_here.c_1', 's_her.c_1', 's_herec_1', 's_here2.c_1', 's_other.c_1'])
      expect(remoteId(place, id)).toBeUndefined();
  });

  it('[RM27] an id has at most as many characters as a request takes', () => {
    const chunk = (length: number) =>
      chunkOf({ type: 'tool_start', toolCallId: 'c'.repeat(length - 's_here.'.length) });
    expect(faultOf(() => localChunk(place, chunk(1_024)))).toBeUndefined();
    expect(faultOf(() => localChunk(place, chunk(1_025)))).toBe('remote_invalid');
  });
});

describe('the bounds of one remote agent', () => {
  const bounds: RemoteBounds = { maxOpenCalls: 3, maxReplyCharacters: 10, maxLogBytes: 4_000 };
  const heldBy = (chunks: readonly object[], within: Partial<RemoteBounds> = {}) =>
    chunks.map(chunkOf).reduce((held, chunk) => heldAfter(held, chunk, { ...bounds, ...within }, 7), NOTHING_HELD);
  const asks = (toolCallId: string, more: object = {}) => ({
    ...{ type: 'tool_approval_request', toolCallId, toolName: 'pay', arguments: {}, inputHash: 'x', ...more },
  });
  const ids = (chunks: readonly object[]) => heldBy(chunks).waiting.map(({ toolCallId }) => toolCallId);

  it('[RM31] calls that wait: as many as it may have, and no more; one that is answered leaves its place', () => {
    const three = ['a', 'b', 'c'].map((id) => asks(id));
    expect(ids(three)).toEqual(['a', 'b', 'c']);
    expect(faultOf(() => heldBy([...three, asks('d')]))).toBe('remote_too_large');
    expect(ids([...three, { type: 'tool_end', toolCallId: 'b', success: true }, asks('d')])).toEqual(['a', 'c', 'd']);
    expect(ids([...three, asks('b')])).toEqual(['a', 'c', 'b']);
  });

  it('[RM32] an id that another agent of it has open is refused, and ends nothing of that one', () => {
    const address = `${THERE}/sub/leaf/2~1`;
    expect(faultOf(() => heldBy([asks('a'), asks('a', { address })]))).toBe('remote_invalid');
    expect(ids([asks('a'), { type: 'tool_end', toolCallId: 'a', success: true, address }])).toEqual(['a']);
    expect(ids([asks('a'), { type: 'run_completed', output: null, address }])).toEqual(['a']);
    expect(ids([asks('a'), { type: 'run_completed', output: null }])).toEqual([]);
  });

  it('[RM31] each kind of call waits as it was asked for, until it is answered or over', () => {
    const asked = {
      toolName: 'pay',
      stepId: 1,
      at: { address: `${THERE}/sub/leaf/1~1`, agentType: 'leaf' },
      requestedAt: 7,
    };
    const client = { type: 'client_tool_request', toolCallId: 'b', toolName: 'pay', arguments: {}, expiresAt: 9 };
    const both = [asks('a'), client];
    expect(heldBy(both).waiting).toEqual([
      { ...asked, toolCallId: 'a', kind: 'approval' },
      { ...asked, toolCallId: 'b', kind: 'client-tool', expiresAt: 9 },
    ]);
    for (const type of ['tool_answered', 'tool_end', 'tool_start', 'step_committed', 'unsuspended'])
      expect(ids([...both, { type, toolCallId: 'a' }])).toEqual(
        /^tool_(answered|end)$/.test(type) ? ['b'] : ['a', 'b'],
      );
    const writes = { type: 'text_delta', part: 0, delta: 'abc' };
    const held = heldBy([...both, writes]);
    expect(nothingWaits(held)).toEqual({ waiting: [], replies: {}, logBytes: held.logBytes });
  });

  it('[RM30] a call waits since it was known here, whatever its chunk says', () => {
    expect(heldBy([asks('a', { timestamp: 1 })]).waiting).toMatchObject([{ requestedAt: 7 }]);
    const [again] = heldAfter(heldBy([asks('a')]), chunkOf(asks('a')), bounds, 9).waiting;
    expect(again).toMatchObject({ requestedAt: 7 });
  });

  it('[RM31] one reply: its texts, thinking and arguments together, at each agent by itself and until its step ends', () => {
    const writes = [
      { type: 'text_delta', part: 0, delta: 'abcd' },
      { type: 'thinking', part: 1, delta: 'efg' },
      { type: 'tool_arg_stream_delta', toolCallId: 'a', delta: 'hij' },
    ];
    const more = { type: 'text_delta', part: 0, delta: 'k' };
    expect(faultOf(() => heldBy(writes))).toBeUndefined();
    expect(faultOf(() => heldBy([...writes, more]))).toBe('remote_too_large');
    expect(faultOf(() => heldBy([...writes, { ...more, address: `${THERE}/sub/leaf/2~1` }]))).toBeUndefined();
    for (const end of [
      { type: 'step_discarded', reason: 'x' },
      { type: 'step_committed' },
      { type: 'run_interrupted', reason: 'x' },
    ])
      expect(faultOf(() => heldBy([...writes, end, ...writes]))).toBeUndefined();
  });

  it('[RM31] replies that are written at once', () => {
    const many = Array.from({ length: 256 }, (_, index) => ({
      ...{ type: 'text_delta', part: 0, delta: 'a', address: `${THERE}/sub/leaf/${index + 1}~1` },
    }));
    const roomy = { ...bounds, maxLogBytes: 1e9 };
    const all = heldBy(many, roomy);
    const more = (held: Held, ...chunks: readonly object[]) =>
      chunks.reduce<Held>((before, chunk) => heldAfter(before, chunkOf(chunk), roomy, 7), held);
    const next = { type: 'text_delta', part: 0, delta: 'a', address: THERE };
    expect(faultOf(() => more(all, next))).toBe('remote_too_large');
    // Each of them may write on, and another one begins once one has ended.
    expect(faultOf(() => more(all, ...many.slice(0, 2)))).toBeUndefined();
    const over = { type: 'step_committed', address: `${THERE}/sub/leaf/7~1` };
    expect(faultOf(() => more(all, over, next))).toBeUndefined();
  });

  it('[RM31] the log of a task, in bytes', () => {
    const chunk = { type: 'custom', name: 'x', data: 'é'.repeat(500) };
    const bytes = new TextEncoder().encode(JSON.stringify(chunkOf(chunk))).byteLength;
    const three = [chunk, chunk, chunk];
    expect(heldBy(three, { maxLogBytes: 3 * bytes }).logBytes).toBe(3 * bytes);
    expect(faultOf(() => heldBy(three, { maxLogBytes: 3 * bytes - 1 }))).toBe('remote_too_large');
  });

  it('[RM96] the log of a task, of which chunks that are skipped are a part, as 100 bytes at least', () => {
    const skipped = (sizes: readonly (number | undefined)[]) =>
      sizes.reduce<Held>((held, bytes) => withPassedOver(held, bytes, bounds), NOTHING_HELD);
    expect(skipped([undefined, 7, 101, 3_699]).logBytes).toBe(4_000);
    expect(faultOf(() => skipped([undefined, 7, 101, 3_700]))).toBe('remote_too_large');
  });
});

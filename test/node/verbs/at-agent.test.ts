/** Verbs at the agent itself: the event that each makes of its request, its answer, and what is kept of it. */
import { describe, expect, it } from 'vitest';
import type { AgentState, Call, Run } from '../../../src/core/agent/state';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbCall } from '../../../src/engine/object/object-calls';
import { type ErrorCode, failure } from '../../../src/protocol/errors';
import type { JsonLike, JsonObject } from '../../../src/protocol/json';
import { locate } from '../../../src/verbs/locate';
import { answerVerb } from '../../../src/verbs/table';
import type { VerbName } from '../../../src/verbs/verb-types';
import { call, RUN, replied, state } from '../../contract/stores-support';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';

const AT = '/agents/top/one';
const ID = `${'t'.repeat(26)}`;
const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';

/** An agent in a state, which becomes another one by the event; with books. */
function at(
  before: AgentState,
  {
    after = before,
    refuses,
    isRoot = false,
    index,
  }: { after?: AgentState; refuses?: ErrorCode; isRoot?: boolean; index?: TreeIndex } = {},
) {
  const events: JsonObject[] = [];
  const kept: unknown[] = [];
  const receipts = new Map<string, unknown>();
  let resumed = 0;
  const agent = {
    state: before,
    resume: () => {
      resumed += 1;
    },
    whyNot: () => (refuses ? failure(refuses) : undefined),
    apply(event: JsonObject, inTransaction: (now: { state: AgentState }) => void) {
      events.push(event);
      if (refuses) return { ok: false, refused: failure(refuses) };
      agent.state = after;
      inTransaction(agent);
      return { ok: true };
    },
  };
  const tree = {
    tree: index,
    self: () => index?.root(),
    isBeingRemoved: () => false,
    hasHandedOn: () => true,
    pending: () =>
      index
        ?.allChildren()
        .map((node) => ({ node, item: { toolCallId: `c_of_${node.id}`, toolName: 'ask', kind: 'approval' } })) ?? [],
    log: { last: 7 },
  };
  const object = {
    isRoot,
    agent,
    ...(isRoot ? { tree } : {}),
    store: {
      transaction: (work: () => unknown) => work(),
      addAudit: (entry: object) => kept.push(['audit', entry]),
      addReceipt: (key: string, receipt: { answer: unknown }) => {
        receipts.set(key, receipt);
        kept.push(['receipt', receipt.answer]);
      },
      receipt: (key: string) => receipts.get(key),
    },
    environment: { now: () => 5, token: () => ID, report: (...what: unknown[]) => expect.fail(String(what)) },
    ports: { files: {}, vault: {} },
  } as unknown as ObjectRuntime;
  const ask = (verb: VerbName, input: JsonLike = {}, more: Partial<VerbCall> = {}) =>
    answerVerb(object, { kind: 'verb', verb, path: [], input, caller: 'ann', idempotencyKey: 'k', ...more });
  return { ask, events, kept, resumed: () => resumed };
}

const asks = (count: number): Call[] => Array.from({ length: count }, (_one, index) => call(index, { kind: 'client' }));
const idle = state();
const working = state({ run: RUN });
const waiting = (count: number) => state({ run: RUN, step: replied(1, asks(count)) });
const listed = (index: number, address = AT) => ({
  toolCallId: `c_${index}`,
  toolName: 'note',
  kind: 'client-tool',
  address,
});
const message = (more: object = {}) => ({ messageId: `m_${ID}`, role: 'user', content: 'Go', from: 'caller', ...more });
const codeOf = (answer: Awaited<ReturnType<typeof answerVerb>>) => (answer.ok ? 'ok' : answer.error.code);

/** The books of a request that was taken: its receipt, and its entry in the audit. */
const taken = (status: number, body: unknown, action: string, more: object = {}) => [
  ['receipt', { status, body }],
  ['audit', { at: 5, actor: 'ann', action, ...more }],
];

describe('a message', () => {
  it('[A18, DL1] is an event with all that its request says, and is kept with its answer', async () => {
    for (const [input, more, said, by] of [
      [{ content: 'Go' }, {}, {}, {}],
      [{ content: 'Go', to: 'side_b' }, {}, { to: 'side_b' }, {}],
      [{ content: 'Go', metadata: { a: 1 } }, { traceparent }, { metadata: { a: 1 } }, { traceparent }],
      [{ content: 'Go', role: 'system' }, { caller: '' }, { role: 'system' }, { actor: 'anonymous' }],
    ] as const) {
      const { ask, events, kept } = at(idle);
      const body = { messageId: `m_${ID}`, delivery: 'started' };
      expect(await ask('send', input, more)).toEqual({ ok: true, body });
      expect(events).toEqual([
        {
          ...{ type: 'send', at: 5, token: ID, runId: expect.any(String), actor: 'ann' },
          ...by,
          message: message(said),
        },
      ]);
      const entry = { detail: { messageId: body.messageId }, ...('actor' in by ? { actor: by.actor } : {}) };
      expect(kept).toEqual(taken(202, body, 'send', entry));
    }
  });

  it('[DL1, A18] that comes again is answered as at first, and changes nothing', async () => {
    const { ask, events } = at(idle);
    const first = await ask('send', { content: 'Go' });
    expect(await ask('send', { content: 'Go' })).toMatchObject({ body: first.ok ? first.body : {} });
    expect(codeOf(await ask('send', { content: 'Stop' }))).toBe('idempotency_conflict');
    expect(events.length).toBe(1);
  });

  it('[AN8, AN9] says what it waits behind where the agent rests, at most 20, and which calls it has denied', async () => {
    for (const [was, now, expected] of [
      [idle, working, { delivery: 'started' }],
      [working, working, { delivery: 'queued' }],
      [waiting(2), waiting(2), { delivery: 'queued', behind: [listed(0), listed(1)] }],
      [waiting(25), waiting(25), { delivery: 'queued', behind: asks(20).map((_one, index) => listed(index)) }],
      [waiting(2), waiting(1), { delivery: 'queued', behind: [listed(0)], denied: [listed(1)] }],
      [waiting(1), working, { delivery: 'queued', denied: [listed(0)] }],
    ] as const) {
      const { ask } = at(was, { after: now });
      expect(await ask('send', { content: 'Go' })).toEqual({ ok: true, body: { messageId: `m_${ID}`, ...expected } });
    }
  });

  it('[AN8] at the root waits behind the calls of all below it, too', async () => {
    const index = new TreeIndex([rootNode(), childNode(2, { schedule: STANDS.waiting }), childNode(3)]);
    const below = [2, 3].map((id) => ({
      ...{ toolCallId: `c_of_${id}`, toolName: 'ask', kind: 'approval', address: `${AT}/sub/leaf/${id}~1` },
    }));
    const behind = async (now: AgentState) => {
      const answer = await at(now, { isRoot: true, index }).ask('send', { content: 'Go' });
      return answer.ok ? (answer.body as JsonObject).behind : answer.error.code;
    };
    expect(await behind(waiting(1))).toEqual([listed(0), ...below]);
    expect(await behind(waiting(19))).toEqual([...asks(19).map((_one, at) => listed(at)), below[0]]);
    // One that works reads it before those end.
    expect(await behind(working)).toBeUndefined();
  });

  it('[RM11, DL1] for one run is for that, or for one that goes on with it', async () => {
    const resumed = { ...RUN, runId: 'r_2', lineage: { ...RUN.lineage, chainRunId: 'r_1' } };
    const ended = { ...RUN, phase: 'ended', outcome: { status: 'completed' }, endedAt: 9 } as unknown as Run;
    for (const [run, runId, code] of [
      [RUN, 'r_1', 'ok'],
      [resumed, 'r_1', 'ok'],
      [resumed, 'r_2', 'ok'],
      [resumed, 'r_3', 'run_superseded'],
      [ended, 'r_1', 'run_superseded'],
      [undefined, 'r_1', 'run_superseded'],
    ] as const) {
      const found = at(state(run ? { run } : {}));
      expect([run, runId, codeOf(await found.ask('send', { content: 'Go', runId }))]).toEqual([run, runId, code]);
      expect(found.events.length).toBe(code === 'ok' ? 1 : 0);
    }
  });

  it('[CH8, VR1] of a trial changes nothing; one that is refused, or has variables below the root, neither', async () => {
    for (const [now, delivery] of [
      [idle, 'started'],
      [working, 'queued'],
    ] as const) {
      const { ask, events, kept } = at(now);
      const body = { messageId: `m_${ID}`, delivery };
      expect(await ask('send', { content: 'Go' }, { isTrial: true })).toEqual({ ok: true, body });
      expect([events, kept]).toEqual([[], []]);
    }
    for (const more of [{}, { isTrial: true }] as const) {
      const { ask, kept } = at(idle, { refuses: 'inbox_full' });
      expect(codeOf(await ask('send', { content: 'Go' }, more))).toBe('inbox_full');
      expect(kept).toEqual([]);
    }
    expect(codeOf(await at(idle).ask('send', { content: 'Go', env: { A: 'x' } }))).toBe('owned_by_parent');
  });
});

describe('another try', () => {
  it.each(['resume', 'retry'] as const)(
    '[RS1, A63] by %s is a run of its own, in the name of who asks',
    async (type) => {
      const next = state({ run: { ...RUN, runId: 'r_2' } });
      for (const [input, more, said, by] of [
        [{}, {}, undefined, {}],
        [{ message: 'Go' }, { traceparent }, message(), { traceparent }],
      ] as const) {
        const { ask, events, kept } = at(working, { after: next });
        const body = {
          ...{ sessionId: 's_1', address: AT, status: 'running', runId: 'r_2' },
          ...(said ? { messageId: said.messageId } : {}),
        };
        expect(await ask(type, input, more)).toEqual({ ok: true, body });
        const facts = { type, at: 5, token: ID, runId: expect.any(String), actor: 'ann', ...by };
        expect(events).toEqual([said ? { ...facts, message: said } : facts]);
        expect(kept).toEqual(taken(202, body, type, { runId: 'r_2' }));
      }
      const { ask, kept } = at(working, { refuses: 'not_resumable' });
      expect(codeOf(await ask(type))).toBe('not_resumable');
      expect(kept).toEqual([]);
    },
  );

  it('[A33] of a sub-agent that has ended is the matter of its parent; a root says where its log continues', async () => {
    const parent = { sessionId: 's_0', address: '/agents/top/zero' };
    const ended = {
      ...RUN,
      phase: 'ended',
      outcome: { status: 'interrupted', reason: 'r' },
      endedAt: 9,
    } as unknown as Run;
    const of = (facts: Partial<AgentState>, below: boolean) =>
      state({ ...facts, session: { ...idle.session, ...(below ? { parent } : {}) } });
    for (const [now, code] of [
      [of({ run: ended }, true), 'superseded'],
      [of({}, true), 'superseded'],
      [of({ run: RUN }, true), 'ok'],
      [of({ run: ended }, false), 'ok'],
    ] as const)
      expect(codeOf(await at(now).ask('resume'))).toBe(code);
    const index = new TreeIndex([rootNode()]);
    const answer = await at(working, { isRoot: true, index }).ask('resume');
    expect(answer).toMatchObject({ ok: true, body: { streamUrl: `${AT}/stream?from=8`, runId: 'r_1' } });
  });
});

it('[A18, A19] two requests of one key at once are one: the second finds what the first came to while it looked', async () => {
  for (const [verb, input] of [
    ['send', { content: 'Go' }],
    ['resume', { message: 'Go' }],
    ['retry', { message: 'Go' }],
    ['abort', {}],
  ] as const) {
    const stopping = state({ run: { ...RUN, epoch: 2 } });
    const { ask, events, kept } = at(working, { after: stopping });
    const [one, other] = await Promise.all([ask(verb, input), ask(verb, input)]);
    expect([verb, events.length, kept.length]).toEqual([verb, 1, 2]);
    expect([verb, one.ok && one.body]).toEqual([verb, other.ok && other.body]);
  }
});

describe('an agent that is not there', () => {
  /** A root in a state, with what its record and its agent know. */
  const rootOf = (facts: { tree?: boolean; agent?: boolean; removing?: boolean; beingRemoved?: boolean }) => {
    const node = rootNode(facts.removing ? { top: { ...NO_FACTS, removing: {} } } : {});
    const index = new TreeIndex([node, childNode(2)]);
    const record = { tree: index, self: () => index.root(), isBeingRemoved: () => facts.beingRemoved === true };
    const known = { ok: true, child: { state: { is: 'ended', gone: false } } };
    return {
      ...(facts.tree === false ? {} : { tree: record }),
      ...(facts.agent === false ? {} : { agent: {} }),
      childAt: ({ name }: { name: string }) => (name === '9~1' ? { ok: false, error: failure('gone') } : known),
    } as unknown as ObjectRuntime;
  };
  const leaf = (name: string) => ({ className: 'Leaf', addressClass: 'leaf', name });

  it('[A21, A24] is found in the record, below an agent that knows it, or nowhere with the reason', () => {
    const [itself, child, other, old] = [[], [leaf('2~1')], [leaf('8~1')], [leaf('9~1')]];
    const deep = [...other, leaf('1~1')];
    for (const [facts, path, found] of [
      [{}, itself, 'record'],
      [{}, child, 'record'],
      [{}, other, 'never_began'],
      [{}, old, 'gone'],
      [{}, deep, 'below'],
      [{}, [...old, leaf('1~1')], 'gone'],
      [{ beingRemoved: true }, child, 'record'],
      [{ beingRemoved: true }, other, 'not_found'],
      [{ beingRemoved: true }, deep, 'not_found'],
    ] as const) {
      const place = locate(rootOf(facts), path);
      expect([facts, path, place.at === 'nowhere' ? place.error.code : place.at]).toEqual([facts, path, found]);
    }
    for (const facts of [{ tree: false }, { agent: false }, { removing: true }, { tree: false, agent: false }])
      for (const path of [itself, child, other, old, deep])
        expect([facts, locate(rootOf(facts), path)]).toEqual([
          ...[facts, { at: 'nowhere', error: failure('not_found') }],
        ]);
  });

  it('[A26, A82] answers no verb of its own: it ended before it began, or was never there', async () => {
    const object = { isRoot: false } as unknown as ObjectRuntime;
    for (const verb of ['send', 'abort', 'state', 'messages', 'files'] as const)
      for (const ended of [true, false, undefined]) {
        const input = verb === 'send' ? { content: 'Go' } : {};
        const asked = { kind: 'verb', verb, path: [], input, ...(ended === undefined ? {} : { ended }) } as const;
        const answer = await answerVerb(object, asked as VerbCall);
        expect([verb, ended, codeOf(answer)]).toEqual([verb, ended, ended ? 'never_began' : 'not_found']);
      }
  });
});

describe('a stop', () => {
  it.each(['interrupt', 'abort', 'terminate'] as const)(
    '[SP8, A45] by %s is taken up with what a crash left, for its reason',
    async (verb) => {
      const stopped = state({ run: { ...RUN, stop: { verb, error: failure('aborted'), at: 5 } } as unknown as Run });
      const what = verb === 'interrupt' ? 'interrupt it' : verb === 'abort' ? 'abort it' : 'terminate it';
      for (const [input, more, reason] of [
        [{}, {}, `Ann asked to ${what}.`],
        [{}, { caller: 'local' }, `Somebody on this machine asked to ${what}.`],
        [{ reason: 'Enough.', runId: 'r_1' }, {}, 'Enough.'],
      ] as const) {
        const { ask, events, kept, resumed } = at(working, { after: stopped });
        const answer = await ask(verb, input, more);
        expect(answer).toMatchObject({ ok: true, status: 202, body: { runId: 'r_1', status: expect.any(String) } });
        const said = String(events[0]?.reason);
        expect(said).toBe(reason);
        expect(events).toEqual([
          { type: 'stop', at: 5, token: ID, verb, reason: said, ...('runId' in input ? { runId: 'r_1' } : {}) },
        ]);
        const body = answer.ok ? answer.body : {};
        const by = 'caller' in more ? { actor: 'local' } : {};
        expect(kept).toEqual(taken(202, body, verb, { runId: 'r_1', detail: { reason: said }, ...by }));
        expect(resumed()).toBe(1);
      }
    },
  );

  it('[A39, A45] that changes nothing has a receipt, and no entry in the audit', async () => {
    const ended = { ...RUN, phase: 'ended', outcome: { status: 'completed', output: 1 }, endedAt: 9 } as unknown as Run;
    for (const [now, status, body] of [
      [idle, 200, { status: 'idle' }],
      [state({ run: ended }), 200, { runId: 'r_1', status: 'completed' }],
      // It is being stopped already.
      [working, 202, { runId: 'r_1', status: 'running' }],
    ] as const) {
      const { ask, kept } = at(now);
      expect(await ask('abort')).toEqual({ ok: true, status, body });
      expect(kept).toEqual([['receipt', { status, body }]]);
    }
    const { ask, kept } = at(working, { refuses: 'run_superseded' });
    expect(codeOf(await ask('abort', { runId: 'r_9' }))).toBe('run_superseded');
    expect(kept).toEqual([]);
  });
});

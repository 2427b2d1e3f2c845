/**
 * What is shown as legal, and what the verbs do, at each agent of random records: the same answer, from the same one who is
 * asked. Everybody but the root is played here: an agent and its parent answer with what is drawn for them.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/core/agent/children/child';
import type { ControlsOver, OwnControls } from '../../src/core/agent/controls';
import type { ChildNode, Schedule } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { answerOfParent, GONE } from '../../src/core/tree/verbs/by-parent';
import { type Refused, routeOf } from '../../src/core/tree/verbs/route';
import type { ObjectRuntime } from '../../src/engine/object/object';
import type { VerbAnswer, VerbCall } from '../../src/engine/object/object-calls';
import type { RootRuntime } from '../../src/engine/root/root';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import { type ErrorCode, failure, refuseWith } from '../../src/protocol/errors';
import type { JsonLike } from '../../src/protocol/json';
import { detailOf } from '../../src/protocol/problem';
import type { Control, ShownControl } from '../../src/protocol/shown/controls';
import { SESSION_STATUSES } from '../../src/protocol/status';
import { fork } from '../../src/verbs/actions/fork';
import { resume, retry } from '../../src/verbs/actions/resume';
import { send } from '../../src/verbs/actions/send';
import { start } from '../../src/verbs/actions/start';
import { abort, interrupt, terminate } from '../../src/verbs/actions/stop';
import { shownControlsOf } from '../../src/verbs/routes/controls';
import { childNode, type NodeFacts, rootNode, STANDS } from '../support/nodes';
import { always, figures, sized } from '../support/sizes';

const VERBS = { start, send, interrupt, abort, terminate, resume, retry, fork } as const;
const NAMES = ['start', 'send', 'interrupt', 'abort', 'terminate', 'resume', 'retry', 'fork'] as const;
type Name = (typeof NAMES)[number];

const INPUTS: Readonly<Record<Name, JsonLike>> = {
  start: { message: 'Go' },
  send: { content: 'Listen' },
  fork: { name: 'copy', message: 'Go' },
  ...{ interrupt: {}, abort: {}, terminate: {}, resume: {}, retry: {} },
};

const SCHEDULES: readonly Schedule[] = [
  STANDS.queued,
  STANDS.working,
  STANDS.waiting,
  STANDS.ended,
  { phase: 'ended', timeLeft: 1, end: { by: 'abandoned', at: 1 } },
  { phase: 'ended', timeLeft: 1, end: { by: 'withdrawn' } },
];

const drawn = fc.record({
  parent: fc.nat({ max: 4 }),
  schedule: fc.constantFrom(...SCHEDULES),
  status: fc.constantFrom(...SESSION_STATUSES),
  lastChunk: fc.nat({ max: 1 }),
  lifetime: fc.constantFrom('call' as const, 'named' as const),
  placement: fc.constantFrom('facet' as const, 'facet' as const, 'remote' as const),
  waits: fc.boolean(),
  isOpen: fc.boolean(),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never;

/** A root with a few agents below it, at any depth. */
function indexOf(all: readonly Drawn[]): TreeIndex {
  const nodes: ChildNode[] = [];
  for (const [at, one] of all.entries()) {
    const id = at + 2;
    const above = nodes[one.parent % (nodes.length + 1)];
    const { schedule, status, lastChunk, lifetime, placement, waits } = one;
    nodes.push(
      childNode(id, {
        parentId: above?.id ?? 1,
        depth: (above?.depth ?? 1) + 1,
        address: `${above?.address ?? '/agents/top/one'}/sub/leaf/${id}~1`,
        ...{ schedule, status, lastChunk, lifetime, placement },
        ...(waits ? { task: { onFailure: 'wait' } } : {}),
      }),
    );
  }
  const openOf = (id: number) => [
    { tasks: nodes.filter((node, at) => node.parentId === id && all[at]?.isOpen).map(keyOf), need: 0 },
  ];
  return new TreeIndex([
    rootNode({ openTasks: openOf(1) }),
    ...nodes.map((node): ChildNode => ({ ...node, openTasks: openOf(node.id) })),
  ]);
}

const refusal = (who: string, ...codes: readonly ErrorCode[]): fc.Arbitrary<Control> =>
  fc.constantFrom<Control>(true, ...codes.map((code) => failure(code, `${who}: ${code}`)));
const STOPPED = refusal('own', 'nothing_to_stop');

const own: fc.Arbitrary<OwnControls> = fc.record({
  start: refusal('own', 'already_running'),
  send: refusal('own', 'owned_by_parent', 'terminated', 'inbox_full', 'unavailable', 'never_began'),
  resume: refusal('own', 'awaiting_input', 'superseded', 'not_resumable', 'already_running'),
  retry: refusal('own', 'not_retryable'),
  ...{ interrupt: STOPPED, abort: STOPPED, terminate: STOPPED },
});
const PARENTS: readonly ErrorCode[] = ['superseded', 'not_resumable', 'already_running', 'max_children', 'terminated'];
const askedOf = (what: keyof ControlsOver) => refusal(`parent about ${what}`, ...PARENTS);

const over: fc.Arbitrary<ControlsOver> = fc.record({
  ...{ tell: askedOf('tell'), fork: askedOf('fork'), resume: askedOf('resume'), retry: askedOf('retry') },
  giveUp: askedOf('giveUp'),
  ...{ interrupt: askedOf('interrupt'), abort: askedOf('abort'), terminate: askedOf('terminate') },
});

interface Played {
  readonly own: OwnControls;
  /** Missing where the parent is gone. */
  readonly over: ControlsOver | undefined;
  /** Whether the parent has heard of the end of an agent. */
  heard?(): boolean;
  /** Somebody waits for something. */
  until?(): unknown;
  /** The agent is asked itself. */
  asked?(): unknown;
}

const NO_REFUSAL: OwnControls = {
  ...{ start: true, send: true, resume: true, retry: true },
  ...{ interrupt: true, abort: true, terminate: true },
};

/** The root's object, with those played whom it asks. */
function objectOf(
  index: TreeIndex,
  { own: says, over: parentSays, heard, until, asked }: Played,
): { object: ObjectRuntime; tree: RootRuntime } {
  const tree = {
    tree: index,
    self: () => index.root(),
    isBeingRemoved: () => false,
    hasHandedOn: () => heard?.() ?? true,
    until: async () => {
      until?.();
      return true;
    },
    pending: () => [],
    log: { last: 7 },
  };
  const ofParent = (said: Control | undefined, more: object = {}) => {
    if (said === undefined) return { answer: 'absent' };
    return said === true ? { answer: 'done', ...more } : { answer: 'refused', error: said };
  };
  const sent = { messageId: 'm_1', delivery: 'queued' };
  type Message = { type: string; verb?: 'interrupt' | 'abort' | 'terminate'; decision?: string };
  const send = async (_address: string, { type, verb, decision }: Message) => {
    if (type === 'controls') return parentSays ? { answer: 'done', controls: parentSays } : { answer: 'absent' };
    if (type === 'tell') return ofParent(parentSays?.tell, { sent });
    if (type === 'child_resume') return ofParent(parentSays?.resume);
    if (type === 'child_decided') return ofParent(decision === 'retry' ? parentSays?.retry : parentSays?.giveUp);
    if (type === 'child_stop' && verb) return ofParent(parentSays?.[verb]);
    return { answer: 'done' };
  };
  const down = async ({ verb }: VerbCall): Promise<VerbAnswer> => {
    asked?.();
    const name = NAMES.find((one) => one === verb);
    const said = name === 'fork' || name === undefined || says[name];
    const isStop = name === 'interrupt' || name === 'abort' || name === 'terminate';
    const address = '/agents/top/one';
    const body = { ...sent, sessionId: 's_1', address, streamUrl: `${address}/stream`, status: 'running' };
    if (said === true) return { ok: true, body };
    return isStop ? { ok: true, status: 200, body } : { ok: false, error: said };
  };
  const ofCompanion = async ({ node }: { node: ChildNode }) => {
    const said = parentSays?.fork ?? GONE.fork;
    return said === true ? { body: { address: node.address, streamUrl: 'b' } } : refuseWith(said);
  };
  const ofPlace = ({ lifetime }: ChildNode): Control =>
    lifetime === 'named' || failure('invalid_request', 'It works for one call.');
  const object = {
    isRoot: true,
    tree,
    agent: { state: { session: { address: '/agents/top/one' } } },
    store: { transaction: (work: () => unknown) => work(), addAudit: () => undefined },
    environment: { now: () => 1, token: () => 't'.repeat(26) },
    ports: { capabilities: [{ verbs: { fork: { ofCompanion, ofPlace } } }] },
    send,
    down,
  };
  return { object, tree } as unknown as { object: ObjectRuntime; tree: RootRuntime };
}

/** A refusal as it is shown, or that a verb is taken. */
const shownAs = (said: ShownControl): string => (said === true ? 'taken' : `${said.code}: ${said.detail}`);

/** What the verb came to, in the same words. */
async function performed(object: ObjectRuntime, node: ChildNode, name: Name): Promise<string> {
  const path = parseAddress(node.address).below.map(segmentOf);
  const call: VerbCall = { kind: 'verb', verb: name, path, input: INPUTS[name], caller: 'person' };
  const answer = await VERBS[name].answer(object, call);
  const isStop = name === 'interrupt' || name === 'abort' || name === 'terminate';
  if (!answer.ok) return `${answer.error.code}: ${detailOf(answer.error)}`;
  return isStop && answer.status === 200 ? 'nothing_to_stop' : 'taken';
}

const totals = { taken: 0, refused: new Map<string, number>() };

figures('routes of verbs', () => {
  const refused = [...totals.refused].sort().map(([code, count]) => `${code} ${count}`);
  return `${totals.taken} taken, refused: ${refused.join(', ')}`;
});

it('[A82] each verb at each agent of a random record is taken where that is shown, else refused as it is shown', async () => {
  const trees = fc.array(drawn, { minLength: 1, maxLength: 6 });
  const holds = fc.asyncProperty(
    trees,
    own,
    fc.option(over, { nil: undefined, freq: 8 }),
    async (all, says, parent) => {
      const index = indexOf(all);
      const { object, tree } = objectOf(index, { own: says, over: parent });
      for (const node of index.allChildren()) {
        const shown = await shownControlsOf({ object, tree, node }, node.lastChunk > 0 ? says : undefined);
        for (const name of NAMES) {
          const came = await performed(object, node, name);
          const expected = shownAs(shown[name]);
          const what = `${name} of ${JSON.stringify(node)}`;
          if (came === 'nothing_to_stop') expect(expected.split(':')[0], what).toBe(came);
          else expect(came, what).toBe(expected);
          if (came === 'taken') totals.taken++;
          else {
            const code = came.split(':')[0] ?? '';
            totals.refused.set(code, (totals.refused.get(code) ?? 0) + 1);
          }
        }
      }
    },
  );
  await always(holds, sized(400, 20_000));
});

/** A root at work with a child, and what is below that. */
const treeWith = (child: NodeFacts, below: NodeFacts = {}) =>
  new TreeIndex([rootNode(), childNode(2, child), childNode(3, { parentId: 2, depth: 3, ...below })]);
const rests: NodeFacts = { schedule: STANDS.ended, status: 'completed' };
const said = (code: ErrorCode, isReported = true): Refused => ({ why: failure(code), isReported });

describe('the route of a verb', () => {
  const named: NodeFacts = { lifetime: 'named' };
  const unbegun: NodeFacts = { lastChunk: 0, schedule: STANDS.queued, status: 'queued' };
  const failed: NodeFacts = {
    schedule: STANDS.ended,
    status: 'failed',
    task: { onFailure: 'wait' },
  };
  const AGENT = { to: 'agent' };
  const parent = (ask: string) => ({ to: 'parent', ask });
  const nobody = (code: ErrorCode) => ({ to: 'nobody', why: { code } });

  it.each<[string, Name, NodeFacts, Refused | undefined, object]>([
    ['goes to an agent at work', 'send', named, undefined, AGENT],
    ['goes to the parent of a companion at rest', 'send', named, said('owned_by_parent'), parent('tell')],
    ['waits for the report of its end', 'send', named, said('owned_by_parent', false), { to: 'report' }],
    [
      'goes to the parent of a companion in the queue',
      'send',
      { ...named, ...unbegun },
      said('unavailable'),
      parent('tell'),
    ],
    ['ends with a companion that was terminated', 'send', named, said('terminated'), nobody('terminated')],
    ['ends with any other refusal', 'send', named, said('inbox_full'), nobody('inbox_full')],
    ['ends with a sub-agent of one call', 'send', {}, said('owned_by_parent'), nobody('owned_by_parent')],
    ['goes to the parent of one at rest', 'resume', rests, undefined, parent('resume')],
    ['goes to the parent of one that has not begun', 'resume', unbegun, undefined, parent('resume')],
    ['goes to an agent at work', 'resume', {}, undefined, AGENT],
    ['goes on below one that waits', 'resume', {}, said('awaiting_input'), { to: 'record', does: 'resume_below' }],
    ['waits for the report of its end', 'resume', {}, said('superseded', false), { to: 'report' }],
    ['goes to it again where it continues', 'resume', {}, { ...said('superseded'), continues: true }, AGENT],
    ['ends where nothing is reported', 'resume', {}, said('superseded'), nobody('superseded')],
    ['goes to the parent that waits for a person', 'retry', failed, undefined, parent('retry')],
    ['ends where the failure is a result', 'retry', rests, undefined, nobody('owned_by_parent')],
    ['goes to its parent, which gives it up', 'abort', failed, undefined, parent('giveUp')],
    ['goes to its parent first', 'terminate', failed, undefined, { ...parent('giveUp'), next: AGENT }],
    ['goes to the agent itself', 'interrupt', failed, undefined, AGENT],
    ['goes to the parent of one in the queue', 'abort', unbegun, undefined, parent('abort')],
    ['changes nothing', 'abort', { ...rests, lastChunk: 0 }, undefined, { to: 'record', does: 'nothing' }],
    ['goes to the agent, then to its parent', 'fork', named, undefined, { ...AGENT, next: parent('fork') }],
    ['ends with a remote agent', 'fork', { ...named, placement: 'remote' }, undefined, nobody('lives_elsewhere')],
    ['ends with a sub-agent', 'start', named, undefined, nobody('owned_by_parent')],
  ])('[A82] %s: %s', (_, verb, facts, refused, route) => {
    const tree = treeWith(facts);
    const node = tree.get(2);
    expect(node && routeOf(tree, node, verb, refused)).toMatchObject(route);
  });

  it('[A82] gives no work below an agent that was terminated', () => {
    const tree = treeWith({ schedule: STANDS.ended, status: 'terminated' }, { ...rests, ...named });
    const node = tree.get(3);
    for (const [verb, refused] of [['resume'], ['send', said('owned_by_parent')], ['fork']] as const)
      expect(node && routeOf(tree, node, verb, refused)).toMatchObject({ to: 'nobody', why: { code: 'terminated' } });
  });

  it('[A82] is answered by a parent for its child', () => {
    const tree = treeWith({ ...rests, status: 'interrupted' }, { ...rests, status: 'interrupted' });
    const [above, below] = [tree.get(2), tree.get(3)];
    const ended = treeWith(rests).get(2);
    if (!above || !below || !ended) throw new Error('They are not there.');
    const codeOf = (answer: Control): string => (answer === true ? 'taken' : `${answer.code} ${answer.message}`);
    const gone = { ask: 'resume', said: GONE.resume } as const;
    expect(codeOf(answerOfParent(tree, below, gone))).toMatch(/^owned_by_parent It continues with .*leaf\/2~1/);
    expect(codeOf(answerOfParent(tree, above, gone))).toMatch(/^owned_by_parent The parent of this agent/);
    expect(codeOf(answerOfParent(treeWith(rests), ended, gone))).toMatch(/^not_resumable/);
    const notNow = { ask: 'resume', said: failure('not_resumable') } as const;
    expect(codeOf(answerOfParent(tree, above, { ...notNow, now: { ...above, schedule: STANDS.working } }))).toMatch(
      /^already_running/,
    );
    expect(codeOf(answerOfParent(tree, above, notNow))).toMatch(/^not_resumable/);
    expect(answerOfParent(tree, above, { ask: 'tell', said: true })).toBe(true);
  });
});

describe('a verb on its route', () => {
  const says = { ...NO_REFUSAL, send: failure('owned_by_parent') };
  const tells: ControlsOver = { ...GONE, tell: true, fork: true };
  const at = (index: TreeIndex) => index.get(2) as ChildNode;

  it('[A82] waits until its parent has heard of the end of a companion, and asks it then', async () => {
    const index = treeWith({ ...rests, lifetime: 'named' });
    let waits = 0;
    const { object } = objectOf(index, { own: says, over: tells, heard: () => waits > 0, until: () => waits++ });
    expect(await performed(object, at(index), 'send')).toBe('taken');
    expect(waits).toBe(1);
    expect(await performed(object, at(index), 'send')).toBe('taken');
    expect(waits).toBe(1);
  });

  it('[A82] is not taken by a parent where the record forbids it by then', async () => {
    const index = treeWith({ lifetime: 'named' });
    const { object } = objectOf(index, {
      own: says,
      over: tells,
      asked: () => index.set(rootNode({ status: 'terminated' })),
    });
    expect(await performed(object, at(index), 'fork')).toMatch(/^terminated/);
  });
});

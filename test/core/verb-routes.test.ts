/**
 * What is shown as legal, and what the verbs do, at each agent of random records: the same answer, from the same one who is
 * asked. Everybody but the root is played here: an agent and its parent answer with what is drawn for them.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ControlsOver, OwnControls } from '../../src/core/agent/controls';
import type { ChildNode, Schedule } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { GONE } from '../../src/core/tree/verbs/by-parent';
import type { ObjectRuntime } from '../../src/engine/object';
import type { VerbAnswer, VerbCall } from '../../src/engine/object-calls';
import type { RootRuntime } from '../../src/engine/root';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { Control, ShownControl } from '../../src/protocol/controls';
import { type ErrorCode, failure, refuseWith } from '../../src/protocol/errors';
import type { JsonLike } from '../../src/protocol/json';
import { detailOf } from '../../src/protocol/problem';
import { SESSION_STATUSES } from '../../src/protocol/status';
import { fork } from '../../src/verbs/fork';
import { resume, retry } from '../../src/verbs/resume';
import { shownControlsOf } from '../../src/verbs/routes/controls';
import { send } from '../../src/verbs/send';
import { start } from '../../src/verbs/start';
import { abort, interrupt, terminate } from '../../src/verbs/stop';
import { childNode, rootNode, STANDS } from '../support/nodes';
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
        ...(waits ? { onFailure: 'wait' as const } : {}),
      }),
    );
  }
  const openOf = (id: number) => [
    { tasks: nodes.filter((node, at) => node.parentId === id && all[at]?.isOpen).map(({ task }) => task), need: 0 },
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
const asked = (what: keyof ControlsOver) => refusal(`parent about ${what}`, ...PARENTS);

const over: fc.Arbitrary<ControlsOver> = fc.record({
  ...{ tell: asked('tell'), fork: asked('fork'), resume: asked('resume'), retry: asked('retry') },
  giveUp: asked('giveUp'),
  ...{ interrupt: asked('interrupt'), abort: asked('abort'), terminate: asked('terminate') },
});

interface Played {
  readonly own: OwnControls;
  /** Missing where the parent is gone. */
  readonly over: ControlsOver | undefined;
}

/** The root's object, with those played whom it asks. */
function objectOf(
  index: TreeIndex,
  { own: says, over: parentSays }: Played,
): { object: ObjectRuntime; tree: RootRuntime } {
  const tree = {
    tree: index,
    self: () => index.root(),
    isBeingRemoved: () => false,
    hasHandedOn: () => true,
    until: async () => true,
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
  const object = {
    isRoot: true,
    tree,
    agent: { state: { session: { address: '/agents/top/one' } } },
    store: { transaction: (work: () => unknown) => work(), addAudit: () => undefined },
    environment: { now: () => 1, token: () => 't'.repeat(26) },
    ports: { capabilities: [{ verbs: { fork: { ofCompanion } } }] },
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

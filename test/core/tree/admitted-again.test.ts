/** A child that is asked for again: each way in which the record may know it, with each newer task and run, by the rule. */
import { expect, it } from 'vitest';
import { limitsOf } from '../../../src/core/definition/limits';
import { type AdmissionRequest, admit, nextAdmissions } from '../../../src/core/tree/admission';
import { asChild, type ChildNode, type Schedule } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { childNode, type NodeFacts, rootNode, STANDS } from '../../support/nodes';

const NOW = 1_000_000;
const LEFT_MS = 20_000;
const WHOLE_MS = 60_000;

const ended = (by: 'itself' | 'abandoned'): Schedule => ({ phase: 'ended', timeLeft: LEFT_MS, end: { by, at: 1 } });
const unbegun = { lastChunk: 0, status: 'queued' } as const;

/** How the record may know a child, and by which of the rules it is asked again. */
const KNOWN: Readonly<
  Record<string, { readonly facts: NodeFacts; readonly is: 'live' | 'done' | 'halted' | 'over' | 'lost' }>
> = {
  'has not begun': { facts: { ...unbegun, schedule: STANDS.working }, is: 'live' },
  'is in the queue': { facts: { ...unbegun, schedule: STANDS.queued }, is: 'live' },
  'is at work': { facts: { schedule: STANDS.working }, is: 'live' },
  'waits for a person': { facts: { schedule: STANDS.waiting, status: 'suspended_client_tool' }, is: 'live' },
  completed: { facts: { schedule: ended('itself'), status: 'completed' }, is: 'done' },
  failed: { facts: { schedule: ended('itself'), status: 'failed' }, is: 'halted' },
  interrupted: { facts: { schedule: ended('itself'), status: 'interrupted' }, is: 'halted' },
  terminated: { facts: { schedule: ended('itself'), status: 'terminated' }, is: 'over' },
  lost: { facts: { schedule: ended('abandoned'), status: 'failed' }, is: 'lost' },
  'lost while it was interrupted': { facts: { schedule: ended('abandoned'), status: 'interrupted' }, is: 'lost' },
  'withdrawn before it began': {
    facts: { ...unbegun, schedule: { phase: 'ended', timeLeft: WHOLE_MS, end: { by: 'withdrawn' } } },
    is: 'halted',
  },
  'closed before it began': {
    facts: { ...unbegun, schedule: { phase: 'ended', timeLeft: WHOLE_MS, end: { by: 'abandoned', at: 1 } } },
    is: 'halted',
  },
};

/** The second task of its third run is known. Which task and which run of the child is asked for. */
const ASKED = {
  'the task before': { number: 1, runNumber: 2 },
  'the same run': { number: 2, runNumber: 3 },
  'a run before': { number: 2, runNumber: 2 },
  'the same task in a newer run': { number: 2, runNumber: 4 },
  'a further task': { number: 3, runNumber: 4 },
} as const;

type Said = 'again' | 'further' | 'as before' | 'already_running' | 'superseded' | 'subagent_lost' | 'terminated';

/** What becomes of that, by the words of the promises. */
function expected(name: string, asked: keyof typeof ASKED, lifetime: ChildNode['lifetime']): Said {
  const { is, facts } = KNOWN[name] ?? { is: 'live', facts: {} };
  if (is === 'lost') return 'subagent_lost';
  const neverBegan = facts.lastChunk === 0 && is === 'halted';
  if (asked === 'the same task in a newer run' && is === 'halted') return 'again';
  if (asked === 'a further task' && lifetime === 'named' && (is === 'done' || is === 'halted')) return 'further';
  if (neverBegan) return 'subagent_lost';
  if (asked === 'the task before') return 'superseded';
  if (asked === 'a further task') return is === 'live' ? 'already_running' : 'terminated';
  return 'as before';
}

const rows = Object.keys(KNOWN).flatMap((name) =>
  (Object.keys(ASKED) as (keyof typeof ASKED)[]).flatMap((asked) =>
    (['call', 'named'] as const).flatMap((lifetime) => [true, false].map((free) => ({ name, asked, lifetime, free }))),
  ),
);

it('[TR4, TR9, RS7, TM2, DG3] gets the answer and the time that its task and its run say, whatever became of it', () => {
  for (const { name, asked, lifetime, free } of rows) {
    const what = JSON.stringify({ name, asked, lifetime, free });
    const known = childNode(2, {
      ...KNOWN[name]?.facts,
      ...{
        lifetime,
        runNumber: 3,
        createdInTurn: 1,
        statusText: 'so far',
        task: { number: 2, turn: 1, timeoutMs: WHOLE_MS },
      },
    });
    const tree = new TreeIndex([rootNode({ turn: 5 }), known, childNode(3)]);
    const { number, runNumber } = ASKED[asked];
    const task = { number, callId: 'c_new', await: 'notice', timeoutMs: 70_000 } as const;
    const { sessionId, address, agentType, depth, childId, placement } = known;
    const request: AdmissionRequest = {
      ...{ sessionId, address, agentType, depth, childId, placement, lifetime, task, runNumber },
    };
    const limits = limitsOf({ maxConcurrentChildren: free ? 9 : 1, maxTreeChildren: 2 });
    const { answers, nodes } = admit(tree, rootNode({ turn: 5 }), [request], limits, NOW);
    const said = expected(name, asked, lifetime);
    const begun = known.lastChunk > 0;
    if (said !== 'again' && said !== 'further') {
      expect(nodes, what).toEqual([]);
      const { phase } = known.schedule;
      const before = phase === 'queued' ? { answer: 'queued' } : { answer: 'start', begun };
      const answer = said === 'as before' ? before : { answer: 'refused', error: { code: said } };
      expect(answers, what).toMatchObject([{ childId: 2, ...answer }]);
      continue;
    }
    expect(answers, what).toMatchObject([
      { childId: 2, ...(free ? { answer: 'start', begun } : { answer: 'queued' }) },
    ]);
    const isTriedAgain = said === 'again' && known.status === 'failed' && begun;
    const rest = known.schedule.phase === 'ended' ? known.schedule.timeLeft : 0;
    const timeLeft = said === 'further' ? 70_000 : isTriedAgain ? WHOLE_MS : rest;
    const stands = free
      ? { status: 'running', schedule: { phase: 'working', deadline: NOW + timeLeft } }
      : { status: 'queued', schedule: { phase: 'queued', timeLeft, place: tree.nextPlace } };
    const now = { ...known, runNumber, ...stands, task: said === 'further' ? { ...task, turn: 5 } : known.task };
    expect(nodes, what).toEqual([now]);
    expect(asChild(nodes[0] ?? known), what).toEqual(now);
  }
  expect(rows).toHaveLength(12 * 5 * 2 * 2);
});

const STAND = {
  new: undefined,
  'has not begun': { ...unbegun, schedule: STANDS.working },
  'has begun': { schedule: STANDS.working },
  withdrawn: { ...unbegun, schedule: { phase: 'ended', timeLeft: 1, end: { by: 'withdrawn' } } },
} as const satisfies Readonly<Record<string, NodeFacts | undefined>>;

it('[CP12, CP53, DG31, TR4] comes with the agents below it that the record lacks, counted once, as far as the limit allows', () => {
  for (const stands of Object.keys(STAND) as (keyof typeof STAND)[])
    for (const asked of ['as before', 'other task', 'newer run'] as const)
      for (const places of ['facets', 'an object', 'an object below'] as const)
        for (const knows of [0, 1, 2])
          for (const named of [0, 2])
            for (const room of [0, 1]) {
              const what = JSON.stringify({ stands, asked, places, knows, named, room });
              const facts = STAND[stands];
              const placement = places === 'an object' ? 'object' : 'facet';
              const known = facts && childNode(2, { ...facts, placement });
              const isBelow = (at: number) => ({
                ...{
                  sessionId: `s_b${at}`,
                  address: `below ${at}`,
                  agentType: 'low',
                  depth: 3 + at,
                  childId: at + 1,
                  runNumber: 7,
                },
                ...({
                  task: { number: 4, callId: `c_b${at}`, await: 'step', timeoutMs: 9 },
                  lifetime: 'named',
                } as const),
                ...({ placement: places === 'an object below' && at === 1 ? 'object' : 'facet' } as const),
                ...({ parent: at === 0 ? 's_2' : 's_b0', status: 'interrupted' } as const),
              });
              const below = [0, 1].slice(0, named).map(isBelow);
              const there = known
                ? [0, 1].slice(0, knows).map((at) => {
                    const { parent: _parent, task: _task, ...rest } = isBelow(at);
                    return childNode(3 + at, {
                      ...rest,
                      parentId: 2 + at,
                      lastChunk: 0,
                      along: true,
                      schedule: ended('itself'),
                    });
                  })
                : [];
              const tree = new TreeIndex([rootNode(), ...(known ? [known] : []), ...there]);
              const base = known ?? childNode(2, { placement });
              const { sessionId, address, agentType, depth, childId, lifetime } = base;
              const task = {
                number: asked === 'other task' ? 0 : 1,
                callId: 'c',
                await: 'step',
                timeoutMs: 9,
              } as const;
              const request: AdmissionRequest = {
                ...{ sessionId, address, agentType, depth, childId, lifetime, placement, task },
                ...{ runNumber: asked === 'newer run' ? 2 : 1, ...(named === 0 ? {} : { below }) },
              };
              const lacking = below.filter((one) => !there.some((node) => node.sessionId === one.sessionId));
              const goesOn = stands === 'withdrawn' && asked === 'newer run';
              const isSame = stands === 'has not begun' && asked !== 'other task';
              const inObjects =
                places === 'an object' || (places === 'an object below' && (named === 2 || knows === 2));
              const counted = known ? (goesOn || isSame) && inObjects : true;
              const more = known ? (counted ? lacking.length : 0) : 1 + below.length;
              const created = known ? 1 + there.length : 0;
              const limits = limitsOf({ maxTreeChildren: Math.max(1, created + more - 1 + room) });
              const { answers, nodes } = admit(tree, rootNode(), [request], limits, NOW);
              // A run that is not its first is one that the record knew, and was deleted.
              if (!known && asked === 'newer run') {
                expect([answers, nodes], what).toMatchObject([
                  [{ answer: 'refused', error: { code: 'subagent_lost' } }],
                  [],
                ]);
                continue;
              }
              const isFull = more > 0 && created + more > limits.maxTreeChildren;
              if (isFull) {
                expect([answers, nodes], what).toMatchObject([
                  [{ answer: 'refused', error: { code: 'max_tree_children' } }],
                  [],
                ]);
                continue;
              }
              const enters = known ? (goesOn ? lacking : counted ? lacking : []) : below;
              const own = !known || goesOn ? 1 : 0;
              const next = 1 + created + 1;
              const firstId = known && !goesOn ? next : next + 1;
              expect(nodes.slice(own), what).toEqual(
                enters.map(({ parent, task: given, ...one }, at) => {
                  const id = firstId + at;
                  const above = parent === 's_2' ? 2 : (there[0]?.id ?? firstId);
                  return {
                    ...{ kind: 'child', id, parentId: above, ...one, task: { ...given, turn: 1 }, createdInTurn: 1 },
                    ...{ statusText: '', lastChunk: 0, sequence: 0, createdAt: NOW, along: true },
                    ...{ usage: base.usage, schedule: { phase: 'ended', timeLeft: 9, end: { by: 'itself', at: NOW } } },
                  };
                }),
              );
              expect(nodes.slice(0, own), what).toMatchObject(
                own === 0 ? [] : [{ id: 2, sessionId: 's_2', status: 'running' }],
              );
              const isRefused = (stands !== 'new' && asked === 'other task') || (stands === 'withdrawn' && !goesOn);
              expect(answers, what).toMatchObject([
                isRefused ? { answer: 'refused' } : { answer: 'start', begun: stands === 'has begun' },
              ]);
            }
});

it('[BU9, BU11, BU12] each that begins has an equal lease of what its parent may spend; one with a budget asks for itself', () => {
  const wants = (at: number, more: Partial<AdmissionRequest['task']> = {}): AdmissionRequest => {
    const { sessionId, address, agentType, depth, lifetime, placement } = childNode(at);
    const task = { number: 1, callId: 'c', await: 'step', timeoutMs: 9, ...more } as const;
    return { sessionId, address, agentType, depth, lifetime, placement, childId: at, runNumber: 1, task };
  };
  for (const [maxTreeSteps, maxTreeTokens, steps] of [
    [4_000_000, 80_000_000, 4_000],
    [3, 80_000_000, 1],
    [400, 80_000_000, 1],
    [0, 80_000_000, 0],
  ] as const) {
    const tree = new TreeIndex([rootNode(), childNode(2)]);
    const limits = limitsOf({ maxTreeSteps, maxTreeTokens, maxConcurrentChildren: 9 });
    const requests = [wants(3), wants(4, { budget: { maxSteps: 1 } }), wants(5), wants(6), wants(7), wants(2)];
    const { answers, nodes } = admit(tree, rootNode(), requests, limits, NOW);
    const leases = answers.map((one) => ('lease' in one ? one.lease?.steps : undefined));
    const got = (nth: number) => (nth < maxTreeSteps ? steps : undefined);
    const expectedOf = steps === 0 ? [] : [got(0), undefined, got(1), got(2), got(3), undefined];
    expect(leases, String(maxTreeSteps)).toEqual(steps === 0 ? leases.map(() => undefined) : expectedOf);
    const holders = answers.flatMap((one, at) => ('lease' in one && one.lease ? [requests[at]?.sessionId] : []));
    expect([...tree.held.keys()], String(maxTreeSteps)).toEqual(holders);
    for (const node of nodes) tree.set(node);
    // Asked again, each has the same.
    const again = admit(tree, rootNode(), requests, limits, NOW).answers.map((one) =>
      'lease' in one ? one.lease?.steps : undefined,
    );
    if (maxTreeSteps > 3) expect(again, String(maxTreeSteps)).toEqual(leases);
  }
});

it('[TR3, TR12] of those in the queue the parent with the fewest at work comes first, then the one before all others', () => {
  for (let seed = 1; seed < 40; seed++) {
    // Plain arithmetic: each seed is another queue of the same two parents and the root.
    const of = (at: number, most: number): number => ((seed * 7919 + at * 104_729) >>> 3) % most;
    const parents = [childNode(2), childNode(3)];
    const kids = Array.from({ length: 9 }, (_, at): ChildNode => {
      const isQueued = of(at, 3) > 0;
      const schedule = isQueued
        ? { phase: 'queued' as const, timeLeft: 9, place: 1 + ((at * 5 + seed) % 11) }
        : STANDS.working;
      return childNode(10 + at, {
        parentId: 1 + of(at + 20, 3),
        depth: 3,
        schedule,
        status: isQueued ? 'queued' : 'running',
      });
    });
    const tree = new TreeIndex([rootNode(), ...parents, ...kids]);
    const max = 2 + of(50, 9);
    const works = [...parents, ...kids].filter(({ schedule }) => schedule.phase === 'working');
    const waits = kids.filter(({ schedule }) => schedule.phase === 'queued');
    const order: number[] = [];
    for (let taken = works.length; taken < max && waits.length > 0; taken++) {
      const load = ({ parentId }: ChildNode): number => works.filter((one) => one.parentId === parentId).length;
      const place = ({ schedule }: ChildNode): number => (schedule.phase === 'queued' ? schedule.place : 0);
      const [first] = waits.toSorted((one, other) => load(one) - load(other) || place(one) - place(other));
      if (first === undefined) break;
      works.push(first);
      waits.splice(waits.indexOf(first), 1);
      order.push(first.id);
    }
    const next = nextAdmissions(tree, limitsOf({ maxConcurrentChildren: max }), NOW);
    expect(
      next.map(({ id }) => id),
      String(seed),
    ).toEqual(order);
    for (const node of next)
      expect(node).toMatchObject({ status: 'running', schedule: { phase: 'working', deadline: NOW + 9 } });
  }
});

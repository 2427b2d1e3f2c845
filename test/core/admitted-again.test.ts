/** A child that is asked for again: each way in which the record may know it, with each newer task and run, by the rule. */
import { expect, it } from 'vitest';
import { limitsOf } from '../../src/core/definition/limits';
import { type AdmissionRequest, admit } from '../../src/core/tree/admission';
import { asChild, type ChildNode, type Schedule } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, type NodeFacts, rootNode, STANDS } from '../support/nodes';

const NOW = 1_000_000;
const LEFT_MS = 20_000;
const WHOLE_MS = 60_000;

const ended = (by: 'itself' | 'abandoned'): Schedule => ({ phase: 'ended', timeLeft: LEFT_MS, end: { by, at: 1 } });
const unbegun = { lastChunk: 0, status: 'queued' } as const;

/** How the record may know a child, and by which of the rules it is asked again. */
const KNOWN: Readonly<Record<string, { readonly facts: NodeFacts; readonly is: 'live' | 'done' | 'halted' | 'over' | 'lost' }>> = {
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
      ...{ lifetime, runNumber: 3, createdInTurn: 1, statusText: 'so far', task: { number: 2, turn: 1, timeoutMs: WHOLE_MS } },
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
    expect(answers, what).toMatchObject([{ childId: 2, ...(free ? { answer: 'start', begun } : { answer: 'queued' }) }]);
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

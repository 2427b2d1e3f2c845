import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Pace, paceAfter, paceGiven } from '../../src/core/tree/models/pace';
import { ModelTurns } from '../../src/core/tree/models/turns';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, rootNode, STANDS } from '../support/nodes';
import { always } from '../support/sizes';

const NOW = 1_000_000;
const LIMITS = { maxConcurrentModelCalls: 10, modelRetryBaseMs: 1_000, modelRetryAfterMs: 60_000 };
const WORKS = { phase: 'working', deadline: NOW * 2 } as const;

it('[MT4, MT5] what a provider refuses says nothing of the turn that the agent had at another one', () => {
  const [root, child] = [rootNode({ schedule: WORKS }), childNode(2, { schedule: WORKS })];
  const tree = new TreeIndex([root, child]);
  const waitOf = (before: 'left' | 'right'): number => {
    const turns = new ModelTurns(LIMITS);
    // Both providers have refused once, and the agent has its second turn at one of them.
    for (const provider of ['left', 'right'])
      turns.ask(root.sessionId, { id: provider, provider, refused: {}, afterMs: 0 }, NOW);
    for (const [at, id] of ['1', '2'].entries()) {
      turns.ask(child.sessionId, { id, provider: before, afterMs: 0 }, NOW);
      turns.next(tree, NOW + 5_000 * (at + 1), () => 0.5);
    }
    turns.ask(child.sessionId, { id: '3', provider: 'left', refused: {}, afterMs: 0 }, NOW + 20_000);
    return turns.opensMs({ sessionId: child.sessionId, id: '3' }, NOW + 20_000);
  };
  expect(waitOf('left')).toBeGreaterThan(0);
  expect(waitOf('right')).toBe(0);
});

/** The same by the words of the promises, over plain lists. */
class Naive {
  asked: { s: string; id: string; provider: string; from: number }[] = [];
  sends: { s: string; id: string; provider: string; place?: { round: number; number: number } }[] = [];
  told: { s: string; text: string }[] = [];
  paces: { provider: string; pace: Pace }[] = [];

  constructor(readonly nodes: { s: string; phase: string }[]) {}

  paceOf(provider: string): Pace | undefined {
    return this.paces.find((one) => one.provider === provider)?.pace;
  }

  setPace(provider: string, pace: Pace): void {
    this.paces = [...this.paces.filter((one) => one.provider !== provider), { provider, pace }];
  }

  first(now: number): string | undefined {
    const live = this.nodes.filter(({ phase }) => phase === 'working' || phase === 'waiting');
    if (live.length > LIMITS.maxConcurrentModelCalls - 8) return 'everybody';
    const isOld = (pace: Pace): boolean => now - pace.refusedAt >= 120_000;
    this.paces = this.paces.filter(
      (one) => !isOld(one.pace) || this.asked.some(({ provider }) => provider === one.provider),
    );
    if (this.paces.length > 0)
      return this.paces
        .map(({ provider }) => provider)
        .toSorted()
        .join();
    this.told = [];
    return undefined;
  }

  ask(s: string, id: string, provider: string, refused: object | undefined, from: number, now: number): void {
    const had = this.sends.find((one) => one.s === s);
    if (had?.id === id || this.asked.some((one) => one.s === s && one.id === id)) return;
    if (refused) {
      const place = had?.provider === provider && had.place ? { place: had.place } : {};
      this.setPace(provider, paceAfter(this.paceOf(provider), { at: now, ...refused, ...place }, LIMITS));
    }
    this.ended(s);
    this.asked.push({ s, id, provider, from });
  }

  ended(s: string, id?: string): void {
    const isIt = (one: { s: string; id: string }): boolean => one.s === s && (id === undefined || one.id === id);
    this.sends = this.sends.filter((one) => !isIt(one));
    const first = this.asked.find(isIt);
    this.asked = this.asked.filter((one) => one !== first);
  }

  next(now: number): string[] {
    const works = (s: string): boolean => this.nodes.some((one) => one.s === s && one.phase === 'working');
    this.sends = this.sends.filter(({ s }) => works(s));
    this.asked = this.asked.filter(({ s }) => works(s));
    this.told = this.told.filter(({ s }) => this.nodes.some((one) => one.s === s));
    let free = Number.POSITIVE_INFINITY;
    if (this.first(now) === 'everybody') {
      const unknown = this.nodes.filter(
        ({ s, phase }) =>
          (phase === 'working' || phase === 'waiting') &&
          !this.told.some((one) => one.s === s && one.text === 'everybody') &&
          ![...this.sends, ...this.asked].some((one) => one.s === s),
      );
      free = LIMITS.maxConcurrentModelCalls - 8 - this.sends.length - unknown.length;
    }
    const given: string[] = [];
    for (const one of [...this.asked]) {
      const pace = this.paceOf(one.provider);
      if (free < 1 || one.from > now || (pace && pace.closedUntil > now)) continue;
      free--;
      const place = pace ? { place: { round: pace.round, number: pace.given + 1 } } : {};
      if (pace) this.setPace(one.provider, paceGiven(pace, now, 0.5));
      this.asked = this.asked.filter((other) => other !== one);
      this.sends = [...this.sends.filter(({ s }) => s !== one.s), { ...one, ...place }];
      given.push(`${one.s} ${one.id}`);
    }
    return given;
  }

  opens(one: { provider: string; from: number }): number {
    return Math.max(one.from, this.paceOf(one.provider)?.closedUntil ?? 0);
  }
}

const AGENTS = ['s_root', 's_2', 's_3', 's_4'];
const happens = fc.record({
  what: fc.constantFrom(
    'ask',
    'ask',
    'ask',
    'next',
    'next',
    'ended',
    'over',
    'rests',
    'knows',
    'stands',
    'later',
    'gone',
  ),
  who: fc.nat(3),
  id: fc.constantFrom('a', 'b', 'c'),
  provider: fc.constantFrom('left', 'right'),
  refused: fc.option(
    fc.record(
      { retryAfterMs: fc.constantFrom(1_500, 30_000), overloaded: fc.constantFrom(true) },
      { requiredKeys: [] },
    ),
    {
      nil: undefined,
      freq: 2,
    },
  ),
  afterMs: fc.constantFrom(0, 0, 700),
  phase: fc.constantFrom('working', 'working', 'waiting', 'ended', 'queued'),
  later: fc.constantFrom(100, 1_500, 130_000),
});

it('[MT1, MT2, MT3, MT4, MT9] turns are those of a naive list of who asked, sends and knows, whatever happens', async () => {
  const holds = fc.property(fc.array(happens, { minLength: 10, maxLength: 60, size: 'max' }), (all) => {
    const tree = new TreeIndex([
      rootNode({ schedule: WORKS }),
      ...[2, 3, 4].map((id) => childNode(id, { schedule: WORKS })),
    ]);
    const turns = new ModelTurns({ ...LIMITS, maxConcurrentModelCalls: LIMITS.maxConcurrentModelCalls - 8 });
    const naive = new Naive(AGENTS.map((s) => ({ s, phase: 'working' })));
    let now = NOW;
    for (const { what, who, id, provider, refused, afterMs, phase, later } of all) {
      const s = AGENTS[who] ?? '';
      const place = naive.nodes.findIndex((one) => one.s === s);
      if (what === 'ask') {
        turns.ask(s, { id, provider, afterMs, ...(refused ? { refused } : {}) }, now);
        naive.ask(s, id, provider, refused, now + afterMs, now);
      } else if (what === 'ended') {
        turns.ended(s, id);
        naive.ended(s, id);
      } else if (what === 'over') {
        turns.ended(s);
        naive.ended(s);
      } else if (what === 'rests') {
        turns.rests(s);
        naive.sends = naive.sends.filter((one) => one.s !== s);
      } else if (what === 'knows') {
        turns.knows(s, 'everybody');
        naive.told = [...naive.told.filter((one) => one.s !== s), { s, text: 'everybody' }];
      } else if (what === 'later') now += later;
      else if (what === 'stands' && place >= 0) {
        const node = tree.bySession(s);
        if (node) tree.set({ ...node, schedule: phase === 'working' ? WORKS : STANDS[phase] });
        naive.nodes[place] = { s, phase };
      } else if (what === 'gone' && who === 3 && place >= 0) {
        tree.remove(4);
        naive.nodes.splice(place, 1);
      }
      if (what === 'next')
        expect(turns.next(tree, now, () => 0.5).map((one) => `${one.sessionId} ${one.id}`)).toEqual(naive.next(now));
      const asks = turns.asksFirst(tree, now);
      expect(asks === undefined || asks === 'everybody' ? asks : asks.join()).toBe(naive.first(now));
      const unaware = turns.unaware(tree, 'everybody').map(({ sessionId }) => sessionId);
      const live = naive.nodes.filter((one) => one.phase === 'working' || one.phase === 'waiting').map((one) => one.s);
      expect(unaware.toSorted()).toEqual(live.filter((one) => !naive.told.some((said) => said.s === one)).toSorted());
      const times = naive.asked.map((one) => naive.opens(one));
      expect(turns.nextAt()).toBe(times.length === 0 ? undefined : Math.min(...times));
      for (const agent of AGENTS)
        for (const asked of ['a', 'b', 'c']) {
          const one = naive.asked.find((waits) => waits.s === agent && waits.id === asked);
          const turn = { sessionId: agent, id: asked };
          expect(turns.opensMs(turn, now)).toBe(one ? Math.max(0, naive.opens(one) - now) : 0);
          expect(turns.has(turn)).toBe(naive.sends.some((sends) => sends.s === agent && sends.id === asked));
        }
      for (const name of ['left', 'right']) expect(turns.isLimited(name)).toBe(naive.paceOf(name) !== undefined);
    }
  });
  await always(holds, 60);
});

it('[MT1] those at work alone are to hear of a provider that refuses, and not who knows of the same ones', () => {
  const phases = [STANDS.queued, STANDS.working, STANDS.waiting, STANDS.ended];
  const tree = new TreeIndex([
    rootNode({ schedule: WORKS }),
    ...phases.map((schedule, at) => childNode(at + 2, { schedule })),
  ]);
  const turns = new ModelTurns(LIMITS);
  const unaware = (...asks: string[]) => turns.unaware(tree, asks).map(({ id }) => id);
  expect([unaware('left'), turns.unaware(tree, 'everybody').map(({ id }) => id)]).toEqual([
    [1, 3],
    [1, 3, 4],
  ]);
  turns.knows('s_3', ['left']);
  expect([unaware('left'), unaware('left', 'right'), unaware('right')]).toEqual([[1], [1, 3], [1, 3]]);
});

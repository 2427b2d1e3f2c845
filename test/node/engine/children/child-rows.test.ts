/** What an agent's own rows say of its children: whom an address means, what a step has to know, what they lack. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/core/agent/children/child';
import { ChildPreparation } from '../../../../src/engine/children/before-children';
import { lackingFor } from '../../../../src/engine/children/missing-variables';
import { calledChildren, childAt, classesWithSlots, knownChildren } from '../../../../src/engine/children/own-children';
import { pageOfCompanions } from '../../../../src/engine/children/perform-companion-tools';
import { isOn, switchedOff } from '../../../../src/engine/children/prompt-subagents';
import { Machine, planned } from '../../../support/machine';
import { rowsOf } from '../../../support/rows';
import { VirtualTime } from '../../../support/virtual-time';

const machine = new Machine();
machine.start();
machine.reply({ calls: [planned.child()] });
const CHILD = machine.child(0);

describe('the child that an address means', () => {
  it('[DG9, A17, DG26] is that of its class, slot and generation, or of its name; else it is gone, or never was', () => {
    const rows = rowsOf({
      asked: ['3~2', 'ada'],
      className: ['Leaf', 'Other'],
      generation: [undefined, 1, 2, 3],
      there: [undefined, '3~2', '3~3', 'ada'],
    } as const);
    for (const { asked, className, generation, there } of rows) {
      const child: Child | undefined = there && {
        ...CHILD,
        placement: { via: 'facet', className: 'Leaf', segment: there },
      };
      const store = {
        slot: (_class: string, slot: number) => (slot === 3 && generation ? { childId: 7, generation } : undefined),
        child: (id: number) => (id === 7 ? child : undefined),
        named: (name: string) => (name === there ? child : undefined),
      };
      const found = childAt(store as never, { className, addressClass: 'leaf', name: asked });
      const isSlot = asked === '3~2';
      const isThere = className === 'Leaf' && there === asked && (!isSlot || generation !== undefined);
      const isOlder = isSlot && generation !== undefined && generation >= 2;
      const what = JSON.stringify({ asked, className, generation, there });
      if (isThere) expect(found, what).toEqual({ ok: true, child });
      else expect(found, what).toMatchObject({ ok: false, error: { code: isOlder ? 'gone' : 'not_found' } });
    }
  });
});

it('[DG9, DG25] a step knows the slots of classes whose children live for a call, and those with the names that it asks for', () => {
  const kids = [
    { lifetime: 'call', className: 'A' },
    { lifetime: 'named', className: 'B' },
    { lifetime: 'call', className: 'C' },
  ] as const;
  expect([...classesWithSlots(kids)]).toEqual(['A', 'C']);
  const ada: Child = { ...CHILD, lifetime: 'named', name: 'ada' };
  const store = {
    countLasting: () => ({ count: 2 }),
    named: (name: string) => (name === 'ada' ? ada : undefined),
    nextChild: () => 9,
    slots: (className: string) => ({ free: [], next: className === 'A' ? 4 : 5 }),
  };
  expect(knownChildren(store as never, ['A', 'C'], ['ada', 'eve'])).toEqual({
    ...{ next: 9, named: { ada }, lasting: { count: 2 }, files: {} },
    slots: { A: { free: [], next: 4 }, C: { free: [], next: 5 } },
  });
  const others: Child[] = [CHILD, ada, { ...CHILD, agentType: 'other' }, { ...ada, agentType: 'other' }];
  expect(calledChildren({ children: () => others }, new Set(['leaf']))).toEqual([CHILD]);
});

it('[CO14, CR4] a page of companions has as many as it may, none that has left, and where to continue', () => {
  const run = machine.state.run?.lineage.chainTurn ?? 0;
  const left = [2, 3, 6];
  const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((childId): Child => {
    const ofRun = left.includes(childId) ? { ofRun: run + 1 } : childId === 4 ? { ofRun: run } : {};
    return { ...CHILD, childId, lifetime: 'named', name: `n${childId}`, ...ofRun };
  });
  const store = {
    countLasting: () => ({ count: 8, ofRun: rows.filter(({ ofRun }) => ofRun !== undefined) }),
    lastingChildren: ({ after, limit }: { after: number; limit: number }) =>
      rows.filter(({ childId }) => childId > after).slice(0, limit),
  };
  const stays = rows.filter(({ childId }) => !left.includes(childId));
  for (const after of [undefined, 0, 1, 4, 8])
    for (const limit of [1, 2, 3, 5, 9]) {
      const rest = stays.filter(({ childId }) => childId > (after ?? 0));
      const page = rest.slice(0, limit);
      const next = rest.length > limit ? { next: page.at(-1)?.childId } : {};
      expect(pageOfCompanions(store as never, machine.state, { after, limit })).toEqual({
        page,
        total: stays.length,
        ...next,
      });
    }
});

it('[SA22, SA23] a sub-agent is on without a variable, or by the value of it, whatever its case and the spaces about it', async () => {
  const values = [
    'true',
    '1',
    'yes',
    'TRUE',
    ' Yes ',
    '1\n',
    'on',
    '0',
    'false',
    'no',
    '',
    ' ',
    'truely',
    '11',
    undefined,
    1,
    true,
  ];
  expect(values.map(isOn)).toEqual([true, true, true, true, true, true, ...Array.from({ length: 11 }, () => false)]);
  const { environment, problems } = new VirtualTime();
  const entries = ['ON', 'OFF', 'NONE', 'FAILS', ' ON ', '', ' ', undefined].map((optional, at) => ({
    ...{ name: `agent ${at}`, config: optional === undefined ? {} : { optional } },
  }));
  const variable = async (_state: object, name: string) => {
    if (name === 'FAILS') throw new Error('No.');
    return { ON: 'yes', OFF: 'no' }[name];
  };
  const agent = { environment, state: machine.state, deps: { variable } };
  const off = await switchedOff(agent as never, { definition: { subagents: entries } } as never);
  expect(off).toEqual(['agent 1', 'agent 2', 'agent 3']);
  expect(problems).toHaveLength(1);
});

it('[SA31] what sub-agents lack is said of each that a call would begin, with the room and the places that are taken', async () => {
  const { environment } = new VirtualTime();
  const names = ['lacks', 'other', 'whole'];
  const lacked = { required: ['K'], missing: ['K'] };
  const request = (agentType: string, prompt?: string) => ({
    ...{ requestId: `of ${agentType}`, planned: { agentType, ...(prompt ? { registers: { prompt } } : {}) } },
  });
  const kept = [request('lacks', 'p'), request('other'), request('lacks')];
  const asks: string[] = [];
  const deps = {
    lacks: async (_state: object, child: { readonly name: string }) => {
      asks.push(child.name);
      return child.name === 'whole' ? undefined : lacked;
    },
    store: { variableRequests: () => kept },
  };
  const seat = (maxVariableRequests: number) => ({
    definition: { subagents: names.map((name) => ({ name, relationship: { child: { name } } })) },
    rules: { limits: { maxVariableRequests } },
  });
  const entry = { ...planned.child(), registers: { prompt: 'p' } };
  const begun = (agent: unknown) => ({ ...planned.finish(null), args: { agent } });
  const of = (most: number, ...calls: object[]) =>
    lackingFor({ state: machine.state, environment, deps } as never, seat(most) as never, calls as never);
  const lacks = (room: number) => ({
    ...lacked,
    ...{
      room,
      waiting: [
        { requestId: 'of lacks', prompt: 'p' },
        { requestId: 'of lacks', prompt: '' },
      ],
    },
  });
  const other = (room: number) => ({ ...lacked, room, waiting: [{ requestId: 'of other', prompt: '' }] });
  expect(await of(5)).toEqual({});
  expect(asks).toEqual([]);
  expect(await of(5, { ...entry, agentType: 'whole' }, planned.tool(), begun(7), begun('none'))).toEqual({});
  expect(await of(5, { ...planned.child(), agentType: 'lacks' })).toEqual({});
  expect(await of(5, { ...entry, agentType: 'lacks' })).toEqual({ lacking: { lacks: lacks(2) } });
  expect(await of(2, { ...entry, agentType: 'lacks' }, begun('other'))).toEqual({
    lacking: { lacks: lacks(0), other: other(0) },
  });
  expect(asks).toEqual(['whole', 'lacks', 'lacks', 'other']);
});

it('[CB1, CB8] children are prepared by each capability that does, and given up by the one that they need', async () => {
  const did: string[] = [];
  const preparing = (name: string, prepared?: object) => ({
    name,
    beforeChildren: () => ({
      prepare: () => void did.push(`${name} prepares`),
      awaited: () => [Promise.resolve(name)],
      prepared: () => prepared,
      giveUp: async () => void did.push(`${name} gives up`),
    }),
  });
  const made = { is: 'made', below: [] };
  const all = new ChildPreparation([
    preparing('one'),
    { name: 'plain' },
    preparing('two', made),
    preparing('three', { is: 'lost' }),
  ] as never);
  all.prepare(machine as never);
  expect(await Promise.all(all.awaited(CHILD))).toEqual(['one', 'two', 'three']);
  expect(all.prepared(CHILD)).toBe(made);
  await all.giveUp(machine, CHILD);
  const needs = { ...machine.state, slices: new Map([['two', [{ id: 1, childId: CHILD.childId }]]]) };
  await all.giveUp({ state: needs } as never, CHILD);
  expect(did).toEqual(['one prepares', 'two prepares', 'three prepares', 'two gives up']);
  expect(new ChildPreparation([preparing('one')] as never).prepared(CHILD)).toBeUndefined();
});

/** What is made of the arguments of a sub-agent's call, what its parent's model is offered and told, and what its envelope says. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Child } from '../../src/core/agent/children/child';
import { Draft } from '../../src/core/agent/draft';
import { seatOf, toolsNow } from '../../src/core/agent/seat';
import { envelopeOf } from '../../src/core/agent/standard-agents/envelope';
import { displayName, firstMessage } from '../../src/core/agent/standard-agents/subagent-call';
import {
  entryOf,
  isRegistered,
  lifecycleOf,
  type RegisteredChild,
  registryMessage,
} from '../../src/core/agent/standard-agents/subagent-registry';
import { failure } from '../../src/protocol/errors';
import { mintReference } from '../../src/protocol/ids';
import { Machine } from '../support/machine';
import { present } from '../support/present';
import { dualOf, lasting, leadOf, promptOf } from '../support/prompts';

/** A child of the registry, at rest. */
function childOf(childId: number, more: Partial<Child> = {}): RegisteredChild {
  const reference = mintReference('token', childId);
  return {
    childId,
    sessionId: `s_${childId}`,
    agentType: 'worker',
    address: `/agents/lead/one/sub/worker/${reference}`,
    lifetime: 'named',
    name: reference,
    placement: { via: 'facet', className: 'Worker', segment: reference },
    terms: { timeoutMs: 1_000, onParentSuspend: 'continue', onFailure: 'result' },
    setup: {},
    task: { number: 1, callId: 'c_1', stepId: 1, await: 'notice', deliver: 'envelope', firstRun: 1 },
    runNumber: 1,
    state: { is: 'ended', result: { success: true, value: 'x' }, session: 'completed' },
    ...more,
    registered: {
      reference,
      prompt: 'p',
      description: 'Works.',
      resumable: true,
      blocking: false,
      createdAt: 5,
      ...more.registered,
    },
  };
}

describe('the arguments of a call', () => {
  it.each([
    ['the text of the argument', { task: 'Sweep.' }, 'task', 'Sweep.'],
    ['JSON of one that is no text', { task: { a: 1 } }, 'task', '{"a":1}'],
    ['all of them where that is missing', { other: 1 }, 'task', '{\n  "other": 1\n}'],
    ['all of them where none is named', { task: 'x' }, undefined, '{\n  "task": "x"\n}'],
    ['a sentence where there are none', {}, 'task', 'You were called without arguments.'],
    ['the same of none at all', null, undefined, 'You were called without arguments.'],
    ['nothing of what it inherits', { other: 1 }, 'constructor', '{\n  "other": 1\n}'],
  ])('[SA15] are its first message: %s', (_what, args, property, message) => {
    expect(firstMessage(args, property)).toBe(message);
  });

  it.each([
    ['  a \n b ', 'a b'],
    ['x'.repeat(200), 'x'.repeat(120)],
    [' \n ', undefined],
    ['', undefined],
    [7, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('[SA17] are its name: %j', (value, name) => {
    expect(displayName(value)).toBe(name);
  });
});

describe('what a model is offered', () => {
  const names = (lead: ReturnType<typeof leadOf>, registry: readonly RegisteredChild[] = []) =>
    toolsNow(seatOf(lead), registry).map(({ name }) => name);
  const worker = dualOf('worker');
  const other = dualOf('other');

  it('[SA27, SA28, SA29] follows from its entries: a tool of the name, or subagent_create and, once there is one, the rest', () => {
    expect(names(leadOf([], []))).toEqual([]);
    expect(names(leadOf(['worker'], [worker]))).toEqual(expect.arrayContaining(['worker', 'subagents']));
    expect(names(leadOf(['worker'], [worker]))).not.toContain('subagent_create');
    const lead = leadOf([lasting('worker'), lasting('other')], [worker, other]);
    expect(names(lead)).toContain('subagent_create');
    expect(names(lead)).not.toContain('subagent_message');
    expect(names(lead, [childOf(1)])).toEqual(expect.arrayContaining(['subagent_message', 'subagent_terminate']));
    const ended = childOf(1, { state: { is: 'ended', result: { success: true, value: '' }, session: 'terminated' } });
    expect(names(lead, [ended])).not.toContain('subagent_message');
  });

  it('[SA27] says of each agent what it is, how it is called and how many there may be, and takes no other agent', () => {
    const asks = dualOf('asks', { requiredSchema: z.object({ topic: z.string() }) });
    const capped = lasting('asks', { blocking: false, resumable: { receives_messages: 'side_a', maxInstances: 3 } });
    const lead = leadOf([lasting('worker'), capped, 'other'], [worker, asks, other]);
    const tool = seatOf(lead).tools.find(({ name }) => name === 'subagent_create');
    expect(tool?.description).toContain('- worker (you wait for its result): Does what worker does.');
    expect(tool?.description).toContain(
      '- asks (its result arrives as a message; at most 3 at once; arguments: topic): ',
    );
    expect(tool?.inputSchema).toMatchObject({
      properties: { agent: { enum: ['worker', 'asks'] }, message: {}, name: {}, arguments: {} },
      required: ['agent', 'message', 'name'],
      additionalProperties: false,
    });
  });

  it('[SA27] refuses what is missing, and arguments that the prompt of the agent does not take', async () => {
    const asks = dualOf('asks', { requiredSchema: z.object({ topic: z.string() }) });
    const builtIn = seatOf(leadOf([lasting('asks')], [asks])).rules.builtIns.find(
      ({ name }) => name === 'subagent_create',
    );
    const whole = { agent: 'asks', message: 'Do.', name: 'a', arguments: { topic: 'bees' } };
    const problem = async (given: object) => {
      const { error } = builtIn ? await z.safeParseAsync(builtIn.inputSchema, given) : {};
      return error?.issues.map(({ path }) => path.join('.')) ?? [];
    };
    expect(await problem(whole)).toEqual([]);
    for (const field of ['agent', 'message', 'name'])
      expect(await problem({ ...whole, [field]: undefined })).toEqual([field]);
    expect(await problem({ ...whole, name: '  ' })).toEqual(['name']);
    expect(await problem({ ...whole, arguments: { topic: 1 } })).toEqual(['arguments.topic']);
    expect(await problem({ ...whole, more: 1 })).toEqual(['']);
  });

  it.each([
    ['nothing', {}, [], 'Do.'],
    ['files alone', { attachments: ['a.md'] }, ['a.md'], 'Do.'],
    ['arguments', { arguments: { topic: 'bees' } }, [], 'Do.\n\n{\n  "topic": "bees"\n}'],
    ['the path of an argument', { arguments: { topic: 'b', papers: 'b.md' } }, ['b.md'], 'Do.\n\n{\n  "topic": "b"\n}'],
    [
      'both',
      { attachments: ['a.md'], arguments: { papers: ['b.md', 'c.md'], topic: 'b' } },
      ['a.md', 'b.md', 'c.md'],
      'Do.\n\n{\n  "topic": "b"\n}',
    ],
  ])(
    '[SA16, SA27] by subagent_create: a first message has no path of the parent, given %s',
    (_what, given, files, first) => {
      const papers = z.union([z.string(), z.array(z.string())]).optional();
      const asks = dualOf('asks', { requiredSchema: z.object({ topic: z.string().optional(), papers }) });
      const lead = leadOf([{ ...lasting('asks'), initAttachmentsProperty: 'papers' }], [asks]);
      const { rules } = seatOf(lead);
      const create = present(rules.builtIns.find(({ name }) => name === 'subagent_create'));
      const args = { agent: 'asks', message: 'Do.', name: 'Ann', ...given };
      const machine = new Machine({ definition: lead });
      const facts = { callId: 'c_1', stepId: 1, index: 0, at: 0, token: 't', atRest: [], earlier: [], files: {} };
      const plan = create.apply(new Draft(machine.state), { ...facts, args }, rules);
      expect(plan).toMatchObject({ registers: { first, threadName: 'Ann' } });
      expect('registers' in plan ? (plan.registers?.files?.paths ?? []) : undefined).toEqual(files);
      expect(create.needs?.(args)).toEqual({ names: [], registered: true, files });
    },
  );

  it('[SA2] is by the entry of its own prompt, also where two prompts use the same agent', () => {
    const entry = (blocking: boolean) =>
      promptOf('p', { tools: [lasting('worker', { blocking })], agents: [worker] }).subagents[0]?.config.blocking;
    expect([entry(true), entry(false)]).toEqual([true, false]);
  });
});

describe('what a model is told', () => {
  it('[SA50, SAQ9, SAW16] lists who is there, the newest 50 of them, and nobody who was ended', () => {
    expect(registryMessage([])).toBeUndefined();
    const many = Array.from({ length: 60 }, (_, at) => childOf(at + 1));
    const ended = childOf(99, { registered: { ...childOf(99).registered, terminated: true } });
    const said = registryMessage([...many, ended]) ?? '';
    expect(said.split('\n').length).toBe(52);
    expect(said).toContain('10 older ones are not shown: the tool subagents lists all.');
    expect(said).not.toContain(ended.registered.reference);
    expect(said.length).toBeLessThan(50 * 400);
  });

  it('[SAT7, SA47, SA65, SAW6, SAQ7] is a status that goes by how it stands, and stays terminated', () => {
    const at = (state: Child['state']) => lifecycleOf(childOf(1, { state }));
    const failed = { success: false, error: failure('model_error') } as const;
    expect(at({ is: 'working' })).toBe('running');
    expect(at({ is: 'waiting' })).toBe('awaiting_input');
    expect(at({ is: 'interrupted', cause: 'stop' })).toBe('idle');
    expect(at({ is: 'ended', result: { success: true, value: '' } })).toBe('idle');
    expect(at({ is: 'ended', result: failed, session: 'failed' })).toBe('failed');
    expect(at({ is: 'ended', result: failed, gone: true })).toBe('terminated');
    const marked = childOf(1, { state: { is: 'working' } });
    expect(lifecycleOf({ ...marked, registered: { ...marked.registered, terminated: true } })).toBe('terminated');
    expect(entryOf(childOf(1))).toEqual({
      reference: mintReference('token', 1),
      name: 'worker',
      description: 'Works.',
      resumable: true,
      blocking: false,
      createdAt: 5_000,
      status: 'idle',
      lifecycle: 'idle',
    });
    const saying = childOf(1, { state: { is: 'waiting', says: '3 of 5' } });
    expect(entryOf(saying)).toMatchObject({ status: '3 of 5', lifecycle: 'awaiting_input' });
    const over = { ...saying, registered: { ...saying.registered, terminated: true } } as const;
    expect(entryOf(over)).toMatchObject({ status: 'terminated', lifecycle: 'terminated' });
    expect(isRegistered(childOf(1, { registered: { ...childOf(1).registered, resumable: false } }))).toBe(false);
  });
});

describe('an envelope', () => {
  const ended = { childId: 1, task: 1, agentType: 'worker', envelope: 'r-1' } as const;

  it('[SA43, SAQ1, SAQ10] of a result is to the letter, silent, and from the user; what is no text is JSON', () => {
    expect(envelopeOf({ ...ended, result: { success: true, value: { a: 1 } }, wakes: true }, 'r-1')).toEqual({
      role: 'user',
      content: 'Subagent (reference: r-1) has returned the following result:\n\n{"a":1}',
      from: 'offshoot',
      silent: true,
      metadata: { subagent_id: 'r-1' },
      wakes: true,
    });
  });

  it('[SA44, SAQ12] of a failure has the code for a program', () => {
    const result = { success: false, error: failure('max_steps', 'Too many steps.') } as const;
    expect(envelopeOf({ ...ended, result, unread: 2 }, 'r-1')).toMatchObject({
      content: 'Subagent (reference: r-1) has reported a failure:\n\nToo many steps.',
      silent: true,
      metadata: { subagent_id: 'r-1', code: 'max_steps', unread_messages: 2 },
    });
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { failureOf } from '../../src/protocol/errors';
import type { JsonObject } from '../../src/protocol/json';
import {
  createTestRuntime,
  routingScriptedModel,
  scriptedModel,
  type TestRun,
  type TestRuntime,
} from '../../src/testing';
import { noModel } from '../support/no-model';
import { eagerOptions, formOptions, lineOptions, START_CASES, type StartedRoot, tryStarts } from '../support/starts';
import { noteTool, threeLevels } from '../support/trees';

describe('createTestRuntime', () => {
  it('[TT1] runs one agent to its typed output', async () => {
    const model = scriptedModel([{ calls: [{ name: 'count', input: { by: 2 } }] }, { finish: { total: 2 } }]);
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      inputSchema: z.object({ by: z.number() }),
      execute: ({ by }, context: ToolContext<{ total: number }>) => {
        context.updateState(({ total }) => ({ total: total + by }));
        return context.getState();
      },
    });
    const counter = defineAgent({
      name: 'counter',
      systemPrompt: 'Count.',
      model,
      tools: [count],
      stateSchema: z.object({ total: z.number().default(0) }),
      outputSchema: z.object({ total: z.number() }),
    });
    const runtime = createTestRuntime({ agents: [counter] });
    const run = await runtime.execute(counter, 'Count to two');
    expect(await run.result()).toEqual({ status: 'completed', output: { total: 2 } });
    expect(run.state()).toEqual({ total: 2 });
    expect(run.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(run.usage()).toMatchObject({ modelCalls: 2, toolCalls: 1 });
    runtime.close();
  });

  it('[CL10] begins nothing whose first state nobody gives, and says what is missing', async () => {
    const given = { systemPrompt: 'x', stateSchema: z.object({ city: z.string() }) };
    const inputSchema = z.object({ city: z.string().optional() });
    const guide = defineAgent({ name: 'guide', ...given, inputSchema, model: scriptedModel([{ text: 'Here.' }]) });
    const asks = (input: JsonObject) => ({ calls: [{ name: 'subagent__guide', input: { message: 'Go.', ...input } }] });
    const top = defineAgent({
      name: 'top',
      systemPrompt: 'x',
      model: scriptedModel([asks({}), asks({ city: 'Oslo' }), { text: 'Done.' }]),
      tools: [createSubAgentTool(guide, inputSchema.extend({ message: z.string() }))],
    });
    const runtime = createTestRuntime({ agents: [top, guide] });
    const missing = expect.stringMatching(/city.*stateSchema/);
    await expect(runtime.execute(guide, 'Go.')).rejects.toMatchObject({ code: 'invalid_input', message: missing });
    const begun = await runtime.execute(guide, { message: 'Go.', state: { city: 'Lima' } });
    await begun.settled();
    expect(begun.state()).toEqual({ city: 'Lima' });
    const run = await runtime.execute(top, 'Go.');
    await run.settled();
    const results = run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
    expect(results).toMatchObject([
      { success: false, error: { code: 'invalid_input', message: missing } },
      { success: true, value: 'Here.' },
    ]);
    runtime.close();
  });

  it('[TT9] refuses a list in which a sub-agent is missing, whatever it is to its parent', () => {
    const leaf = defineAgent({ name: 'leaf', systemPrompt: 'x', model: noModel, inputSchema: z.object({}) });
    const others = { systemPrompt: 'x', model: noModel };
    const delegates = defineAgent({ name: 'delegates', ...others, tools: [createSubAgentTool(leaf)] });
    const keeps = defineAgent({ name: 'keeps', ...others, persistentAgents: [{ agent: leaf }] });
    for (const agent of [delegates, keeps])
      expect(() => createTestRuntime({ agents: [agent] })).toThrow(`[${agent.name}, leaf]`);
    createTestRuntime({ agents: [delegates, keeps, leaf] }).close();
  });

  it('[TT1, TT2] runs a tree, also through a crash, and streams all of it', async () => {
    const { agents, top, scripts } = threeLevels();
    const runtime = createTestRuntime({ agents, model: routingScriptedModel(scripts) });
    const run = await runtime.execute(top, 'Go');
    const types: string[] = [];
    for await (const { chunk } of run.stream()) {
      types.push(chunk.type);
      if (types.length === 5) runtime.crash();
    }
    expect(await run.result()).toEqual({ status: 'completed', output: 'All done.' });
    expect(run.agents()).toHaveLength(7);
    expect(types.filter((type) => type === 'run_completed')).toHaveLength(7);
    runtime.close();
  });

  it('[TT2] its stream ends where the tree waits for a person and nobody works, and continues behind the answer', async () => {
    const noInput = { description: 'Waits.', inputSchema: z.object({}) };
    const gate = defineTool({ name: 'gate', ...noInput, requireApproval: true, execute: () => 'open' });
    const asked = Promise.withResolvers<void>();
    const wait = defineTool({ name: 'wait', ...noInput, execute: () => asked.promise.then(() => 'asked') });
    const model = routingScriptedModel({
      rests: [
        { calls: ['slow', 'gated'].map((name) => ({ name: `subagent__${name}`, input: {} })) },
        { text: 'Done.' },
      ],
      gated: [{ calls: [{ name: 'gate', input: {} }] }, { text: 'Through.' }],
      slow: [{ calls: [{ name: 'wait', input: {} }] }, { text: 'At last.' }],
    });
    const facts = { systemPrompt: 'x', model: noModel, inputSchema: z.object({}) };
    const gated = defineAgent({ name: 'gated', ...facts, tools: [gate] });
    const slow = defineAgent({ name: 'slow', ...facts, tools: [wait] });
    const rests = defineAgent({
      ...facts,
      name: 'rests',
      tools: [createSubAgentTool(slow), createSubAgentTool(gated)],
    });
    const runtime = createTestRuntime({ agents: [rests, gated, slow], model });
    const run = await runtime.execute(rests, { input: {} });
    const read = async (from?: number) => {
      const seen: { sequence: number; type: string; of: string }[] = [];
      for await (const { sequence, chunk } of run.stream(from)) {
        // The gate waits before that ends.
        if (chunk.type === 'tool_approval_request') asked.resolve();
        seen.push({ sequence, type: chunk.type, of: chunk.address.replace(/^.*sub\/(\w+).*$/, '$1') });
      }
      return seen;
    };
    const first = await read();
    expect(run.pending()).toHaveLength(1);
    expect(first).toContainEqual(expect.objectContaining({ type: 'run_completed', of: 'slow' }));
    await run.submit({ kind: 'approval-response', toolCallId: run.pending()[0]?.toolCallId ?? '', approved: true });
    const then = await read((first.at(-1)?.sequence ?? 0) + 1);
    expect(then.at(-1)).toMatchObject({ type: 'run_completed', of: run.address });
    runtime.close();
  });

  it('[TT14] a wait for a run rejects once the runtime is closed', async () => {
    const model = scriptedModel([{ hang: 'forever' }]);
    const hangs = defineAgent({ name: 'hangs', systemPrompt: 'x', model });
    const runtime = createTestRuntime({ agents: [hangs] });
    const run = await runtime.execute(hangs, 'Go');
    const reading = async () => {
      for await (const _chunk of run.stream());
    };
    const waits = [run.result(), run.settled(), reading()];
    const ends = Promise.allSettled(waits);
    runtime.close();
    const gone = {
      status: 'rejected',
      reason: { failure: { code: 'gone', message: expect.stringContaining('closed') } },
    };
    expect(await ends).toMatchObject([gone, gone, gone]);
    expect(model.calls).toBeLessThanOrEqual(1);
  });

  it('[TT15] a closed runtime wakes no agent, whatever is asked of it or its runs', async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const model = scriptedModel(() => {
      onAsked();
      return { hang: 'forever' };
    });
    const closes = defineAgent({ name: 'closes', systemPrompt: 'x', model });
    const runtime = createTestRuntime({ agents: [closes] });
    const run = await runtime.execute(closes, 'Go');
    await asked;
    runtime.close();
    const first = async () => void (await run.stream()[Symbol.asyncIterator]().next());
    for (const use of [
      ...[() => run.result(), () => run.settled(), first, () => run.send('More.'), () => run.status()],
      ...[() => run.start('More.'), () => runtime.execute(closes, 'Again')],
    ])
      await expect(use(), String(use)).rejects.toMatchObject({ code: 'gone' });
    expect([run.state(), run.messages().length, model.calls]).toEqual([{}, 1, 1]);
    runtime.close();
  });

  it('[DF6] two relationships with one child type: each call is checked by its own schema and hands back its own result', async () => {
    const child = defineAgent({
      name: 'child',
      systemPrompt: 'Work.',
      model: scriptedModel(({ prompt }) => ({ text: JSON.stringify(prompt.at(-1)?.content) })),
    });
    const model = scriptedModel([
      {
        calls: [
          { name: 'subagent__child', input: { q: 'one' } },
          { name: 'subagent__critic', input: { text: 'two' } },
          { name: 'subagent__critic', input: { q: 'no' } },
        ],
      },
      { text: 'done' },
    ]);
    const parent = defineAgent({
      name: 'parent',
      systemPrompt: 'Work.',
      model,
      tools: [
        createSubAgentTool(child, z.object({ q: z.string() })),
        createSubAgentTool(child, z.object({ text: z.string() }), { name: 'critic' }),
      ],
    });
    const runtime = createTestRuntime({ agents: [parent, child] });
    const run = await runtime.execute(parent, 'Go');
    expect(await run.result()).toEqual({ status: 'completed', output: 'done' });
    const results = run.messages().filter((message) => message.role === 'tool');
    expect(results.map(({ toolName, result }) => [toolName, result.success])).toEqual([
      ['subagent__child', true],
      ['subagent__critic', true],
      ['subagent__critic', false],
    ]);
    expect(results.map(({ result }) => JSON.stringify(result)).slice(0, 2)).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
    expect(run.agents().slice(1)).toEqual([`${run.address}/sub/child/1~1`, `${run.address}/sub/child/2~1`]);
    runtime.close();
  });

  it('[DF7] an agent that is never a root is not started as one', async () => {
    const helper = defineAgent({
      name: 'helper',
      systemPrompt: 'Work.',
      model: scriptedModel([{ text: 'x' }]),
      root: false,
    });
    const parent = defineAgent({
      name: 'parent',
      systemPrompt: 'Work.',
      model: scriptedModel([{ calls: [{ name: 'subagent__helper' }] }, { text: 'done' }]),
      tools: [createSubAgentTool(helper, z.object({}))],
    });
    const runtime = createTestRuntime({ agents: [parent, helper] });
    await expect(runtime.execute(helper, 'Go')).rejects.toMatchObject({ code: 'not_a_root' });
    const run = await runtime.execute(parent, 'Go');
    expect(await run.result()).toEqual({ status: 'completed', output: 'done' });
    runtime.close();
  });

  it('[TT3] says what does not fit', async () => {
    const child = defineAgent({ name: 'child', systemPrompt: 'Work.', model: scriptedModel([]) });
    const parent = defineAgent({
      name: 'parent',
      systemPrompt: 'Work.',
      model: scriptedModel([{ calls: [{ name: 'subagent__child', input: {} }] }, { text: 'done' }]),
      tools: [createSubAgentTool(child, z.object({}))],
      inputSchema: z.object({ topic: z.string() }),
    });
    const problems: string[] = [];
    const runtime = createTestRuntime({ agents: [parent, child], report: (problem) => void problems.push(problem) });
    // @ts-expect-error the topic is a text
    await expect(runtime.execute(parent, { input: { topic: 1 } })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(runtime.execute(parent, {})).rejects.toMatchObject({ code: 'invalid_request' });
    runtime.close();
  });
});

/** A tool that runs when a person allows it. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ amount: z.number().positive() }),
  requireApproval: true,
  execute: ({ amount }, { approval }) => ({ paid: amount, by: approval?.actor ?? null }),
});

/** A tool of the client. */
const locate = defineTool({
  name: 'locate',
  description: 'Says where the client is.',
  inputSchema: z.object({}),
  outputSchema: z.object({ city: z.string() }),
  execute: 'client',
});

/** A root with a child, each of which asks a person: the child for a payment, the root then for a place. */
function asking(options: { report?: (problem: string, error?: unknown) => void } = {}) {
  const child = defineAgent({ name: 'child', systemPrompt: 'Work.', model: noModel, tools: [pay] });
  const top = defineAgent({
    name: 'top',
    systemPrompt: 'Work.',
    model: noModel,
    tools: [createSubAgentTool(child, z.object({})), locate],
  });
  const model = routingScriptedModel({
    top: [
      { calls: [{ name: 'subagent__child', input: {} }] },
      { calls: [{ name: 'locate', input: {} }] },
      { text: 'Arrived.' },
    ],
    child: [{ calls: [{ name: 'pay', input: { amount: 5 } }] }, { text: 'Paid.' }],
  });
  const runtime = createTestRuntime({ agents: [top, child], model, ...options });
  return { runtime, top };
}

const ids = (run: TestRun): string[] => run.pending().map(({ toolCallId }) => toolCallId);

/** What the calls of a transcript gave, in order. */
const results = (run: TestRun, address?: string) =>
  run.messages(address).flatMap((message) => (message.role === 'tool' ? [message.result] : []));

describe('a run that waits for a person', () => {
  it('[TT4, TT5] shows what waits in the whole tree and takes the answers at the root, also after a crash', async () => {
    const { runtime, top } = asking();
    const run = await runtime.execute(top, 'Go');
    const first = await run.settled();
    const [payment] = run.pending();
    expect(first).toEqual({ status: 'suspended_awaiting_children', pending: [payment] });
    expect(payment).toMatchObject({ kind: 'approval', toolName: 'pay', input: { amount: 5 }, agentType: 'child' });
    expect(payment).not.toHaveProperty('stepId');
    expect(run.pending(payment?.address)).toEqual([payment]);
    expect([results(run), results(run, payment?.address)]).toEqual([[], []]);
    runtime.crash();
    expect(run.pending()).toEqual([payment]);
    const toolCallId = payment?.toolCallId ?? '';
    await run.submit({ kind: 'approval-response', toolCallId, approved: true, input: { amount: 4 } });
    const second = await run.settled();
    runtime.crash();
    expect(second).toMatchObject({
      status: 'suspended_client_tool',
      pending: [{ kind: 'client-tool', toolName: 'locate', address: run.address }],
    });
    expect(results(run, payment?.address).at(-1)).toEqual({ success: true, value: { paid: 4, by: 'test' } });
    await run.submit({ kind: 'client-tool-result', toolCallId: ids(run)[0] ?? '', result: { city: 'Oslo' } });
    expect(await run.result()).toEqual({ status: 'completed', output: 'Arrived.' });
    expect(await run.settled()).toEqual({ status: 'completed', output: 'Arrived.' });
    expect(results(run).at(-1)).toEqual({ success: true, value: { city: 'Oslo' } });
    expect(run.pending()).toEqual([]);
    runtime.close();
  });

  it('[TT5] refuses answers as a client would be refused, and takes the right one after', async () => {
    const { runtime, top } = asking();
    const run = await runtime.execute(top, 'Go');
    await run.settled();
    const [toolCallId = ''] = ids(run);
    const approval = { kind: 'approval-response', toolCallId, approved: true } as const;
    await expect(run.submit({ ...approval, toolCallId: 'c_none' })).rejects.toMatchObject({
      code: 'unknown_tool_call',
    });
    await expect(run.submit({ kind: 'client-tool-result', toolCallId, result: 1 })).rejects.toMatchObject({
      code: 'kind_mismatch',
    });
    await expect(run.submit({ ...approval, input: { amount: -1 } })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    await run.submit({ ...approval, approved: false, reason: 'Too dear.' });
    await expect(run.submit(approval)).rejects.toMatchObject({
      code: 'already_answered',
      failure: { details: { decision: { approved: false, reason: 'Too dear.' } } },
    });
    const place = await run.settled();
    expect(place.status).toBe('suspended_client_tool');
    const [next = ''] = ids(run);
    await expect(
      run.submit({ kind: 'client-tool-result', toolCallId: next, result: { city: 7 } }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    await run.submit({ kind: 'client-tool-result', toolCallId: next, error: 'No signal.' });
    expect(await run.result()).toEqual({ status: 'completed', output: 'Arrived.' });
    expect(results(run).at(-1)).toMatchObject({ success: false, error: { code: 'client_tool_failed' } });
    runtime.close();
  });
});

describe('a result that cannot come', () => {
  /** Time of the test's own, so that a second passes at once. */
  function reporting() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reports: string[] = [];
    return { ...asking({ report: (problem) => void reports.push(problem) }), reports };
  }

  it('[TT11] is reported once, with the calls that wait and what answers them', async () => {
    const { runtime, top, reports } = reporting();
    const run = await runtime.execute(top, 'Go');
    await run.settled();
    const result = run.result();
    await vi.advanceTimersByTimeAsync(5_000);
    const [payment] = run.pending();
    expect(reports).toEqual([
      `run.result() cannot resolve yet: the run is suspended_awaiting_children. These calls wait for an answer: pay (${payment?.toolCallId}) of ${payment?.address}. Answer with run.submit(), or await run.settled().`,
    ]);
    await run.submit({ kind: 'approval-response', toolCallId: payment?.toolCallId ?? '', approved: true });
    await run.settled();
    await run.submit({ kind: 'client-tool-result', toolCallId: ids(run)[0] ?? '', result: { city: 'Oslo' } });
    expect(await result).toMatchObject({ status: 'completed' });
    expect(reports).toHaveLength(1);
    runtime.close();
  });

  it('[TT11] is reported for a sub-agent that waits for a resume', async () => {
    const { runtime, top, reports } = reporting();
    const run = await runtime.execute(top, 'Go');
    await run.settled();
    await run.interrupt('A break.', run.pending()[0]?.address);
    await run.settled();
    run.result().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reports).toEqual([expect.stringContaining('A stopped or failed sub-agent waits for run.resume()')]);
    runtime.close();
  });
});

describe('the files of a run', () => {
  it('[TT12, TT13] are read by path and address, with the version that the model reads', async () => {
    const writer = defineAgent({
      name: 'writer',
      systemPrompt: 'Write.',
      model: noModel,
      workspace: true,
      inputSchema: z.object({}),
    });
    const top = defineAgent({ name: 'top', systemPrompt: 'Ask.', model: noModel, tools: [createSubAgentTool(writer)] });
    const model = routingScriptedModel({
      top: [{ calls: [{ name: 'subagent__writer', input: {} }] }, { text: 'Done.' }],
      writer: [
        { calls: [{ name: 'workspace_write_file', input: { path: 'notes/a.md', content: 'Ümläut' } }] },
        { text: 'Done.' },
      ],
    });
    const runtime = createTestRuntime({ agents: [top, writer], model });
    const run = await runtime.execute(top, { message: 'Go', files: [{ path: 'given.txt', content: 'x' }] });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [, below = ''] = run.agents();
    const [file] = await run.files('notes/', below);
    expect(file).toMatchObject({ path: 'notes/a.md', version: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(JSON.stringify(run.messages(below))).toContain(file?.version);
    expect([await run.readFile('given.txt'), await run.readFile('notes/a.md', below)]).toEqual(['x', 'Ümläut']);
    await expect(run.readFile('notes/a.md')).rejects.toMatchObject({ code: 'not_found' });
    await expect(run.files(below)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`run.files('', '${below}')`),
    });
    runtime.close();
  });
});

describe('a run that is stopped', () => {
  it('[TT4, TT6] is interrupted and resumed with its ledger, also through a crash', async () => {
    const { runtime, top } = asking();
    const run = await runtime.execute(top, 'Go');
    await run.settled();
    await run.interrupt('A break.');
    expect(await run.result()).toEqual({ status: 'interrupted', reason: 'A break.' });
    expect(run.pending()).toEqual([]);
    runtime.crash();
    await run.resume('Go on.');
    expect(await run.settled()).toMatchObject({
      status: 'suspended_awaiting_children',
      pending: [{ toolName: 'pay' }],
    });
    await expect(run.resume()).rejects.toMatchObject({ code: 'awaiting_input' });
    await run.abort();
    const failed = await run.result();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'aborted', message: 'The test aborted it.' } });
    await expect(run.resume()).rejects.toMatchObject({ code: 'not_resumable' });
    // The script continues behind the reply whose call was aborted (M111).
    await run.retry();
    expect(await run.settled()).toMatchObject({ status: 'suspended_client_tool', pending: [{ toolName: 'locate' }] });
    await run.terminate();
    expect(await run.result()).toEqual({ status: 'terminated', reason: 'The test ended it.' });
    await expect(run.retry()).rejects.toMatchObject({ code: 'terminated' });
    runtime.close();
  });

  it('[TT6] stops and resumes one child alone; its parent waits for it', async () => {
    const { runtime, top } = asking();
    const run = await runtime.execute(top, 'Go');
    await run.settled();
    const child = run.pending()[0]?.address ?? '';
    await run.interrupt('A break.', child);
    expect(await run.settled()).toEqual({ status: 'suspended_awaiting_children', pending: [] });
    await run.resume('And hurry.', child);
    expect(await run.settled()).toMatchObject({ status: 'suspended_awaiting_children', pending: [{ address: child }] });
    await run.abort('Enough.', child);
    expect(await run.settled()).toMatchObject({ status: 'suspended_client_tool' });
    expect(results(run).at(0)).toMatchObject({ success: false, error: { code: 'aborted', message: 'Enough.' } });
    expect(run.messages(child).at(1)).toMatchObject({ role: 'assistant' });
    await expect(run.abort('Who?', `${run.address}/sub/child/9~1`)).rejects.toMatchObject({ code: 'not_found' });
    expect(run.agents()).toEqual([run.address, child]);
    runtime.close();
  });

  it('[TT6, DG23, DG24] tries a child again that failed and is waited for, or gives it up', async () => {
    for (const verb of ['retry', 'abort', 'terminate'] as const) {
      const child = defineAgent({ name: 'child', systemPrompt: 'Work.', model: noModel });
      const spawn = createSubAgentTool(child, z.object({}), { onFailure: 'wait' });
      const top = defineAgent({ name: 'top', systemPrompt: 'Work.', model: noModel, tools: [spawn] });
      const model = routingScriptedModel({
        top: [{ calls: [{ name: 'subagent__child', input: {} }] }, { text: 'Done.' }],
        child: ({ prompt }) =>
          JSON.stringify(prompt).includes('Again')
            ? { text: 'Worked.' }
            : { fail: { code: 'model_refused', message: 'No.' } },
      });
      const runtime = createTestRuntime({ agents: [top, child], model });
      const run = await runtime.execute(top, 'Go');
      const address = `${run.address}/sub/child/1~1`;
      expect(await run.settled(), verb).toEqual({ status: 'suspended_awaiting_children', pending: [] });
      runtime.crash();
      await (verb === 'retry' ? run.retry('Again.', address) : run[verb]('Enough.', address));
      expect(await run.result(), verb).toEqual({ status: 'completed', output: 'Done.' });
      expect(results(run), verb).toMatchObject([
        verb === 'retry' ? { success: true, value: 'Worked.' } : { success: false, error: { code: 'model_refused' } },
      ]);
      await expect(run.retry('Again.', address), verb).rejects.toThrow();
      runtime.close();
    }
  });

  it('[TT6] stops a child that has not begun through its parent', async () => {
    const note = noteTool();
    const child = defineAgent({ name: 'child', systemPrompt: 'Work.', model: noModel, tools: [pay, note] });
    const spawn = createSubAgentTool(child, z.object({}));
    const limits = { maxConcurrentChildren: 1 };
    const slow = defineTool({
      name: 'slow',
      description: 'Waits for its abort.',
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) =>
        new Promise((resolve) => abortSignal.addEventListener('abort', () => resolve('stopped'))),
    });
    const worker = defineAgent({ name: 'worker', systemPrompt: 'Work.', model: noModel, tools: [slow] });
    const top = defineAgent({
      name: 'top',
      systemPrompt: 'Work.',
      model: noModel,
      limits,
      tools: [spawn, createSubAgentTool(worker, z.object({}))],
    });
    const model = routingScriptedModel({
      top: [
        {
          calls: [
            { name: 'subagent__worker', input: {} },
            { name: 'subagent__child', input: {} },
          ],
        },
        { text: 'Done.' },
      ],
      worker: [{ calls: [{ name: 'slow', input: {} }] }, { text: 'Worked.' }],
      child: [{ text: 'Never said.' }],
    });
    const runtime = createTestRuntime({ agents: [top, child, worker], model });
    const run = await runtime.execute(top, 'Go');
    for await (const { chunk } of run.stream()) if (chunk.type === 'tool_start' && chunk.toolName === 'slow') break;
    await run.abort('Not wanted.', `${run.address}/sub/child/1~1`);
    await run.abort('Enough.', `${run.address}/sub/worker/1~1`);
    expect(await run.result()).toEqual({ status: 'completed', output: 'Done.' });
    expect(results(run)).toMatchObject([
      { success: false, error: { message: 'Enough.' } },
      { success: false, error: { message: 'Not wanted.' } },
    ]);
    expect(run.agents()).toEqual([run.address, `${run.address}/sub/worker/1~1`]);
    runtime.close();
  });
});

/** A root of a test runtime, where its first start makes it. */
function startedIn(runtime: TestRuntime, definition: AgentDefinition): StartedRoot {
  let run: TestRun | undefined;
  const at = (): TestRun => run ?? expect.fail('Nothing was started.');
  return {
    async start(body, idempotencyKey) {
      const by = idempotencyKey === undefined ? {} : { idempotencyKey };
      try {
        if (run) return { ...(await run.start(body, by)) };
        run = await runtime.execute(definition, body, by);
        const { sessionId, run: first } = await run.status();
        return { sessionId, status: 'running', ...(first ? { runId: first.runId } : {}) };
      } catch (error) {
        return { code: failureOf(error).code };
      }
    },
    async rested() {
      for (;;) {
        await at().result();
        const status = await at().status();
        if (status.run?.status !== 'running') return status;
      }
    },
    state: async () => at().state(),
    files: async () => at().files(),
    said: async () =>
      at()
        .messages()
        .flatMap((message) => (message.role === 'user' ? [message.content] : [])),
  };
}

describe('a start in a test runtime', () => {
  it('[TT1] begins a root of its own also beside another start', async () => {
    const model = scriptedModel(({ message }) => ({ text: message }));
    const echo = defineAgent({ name: 'echo', systemPrompt: 'Echo.', model });
    const runtime = createTestRuntime({ agents: [echo] });
    const runs = await Promise.all(['One.', 'Two.'].map((message) => runtime.execute(echo, message)));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results.map(({ output }) => output)).toEqual(['One.', 'Two.']);
    runtime.close();
  });

  const agents = {
    form: defineAgent(formOptions),
    line: defineAgent(lineOptions),
    eager: defineAgent(eagerOptions),
  };

  it.each(START_CASES.map((one) => [one.title, one] as const))('[TT7] as over HTTP: %s', async (title, one) => {
    const runtime = createTestRuntime({ agents: Object.values(agents) });
    await tryStarts(one, startedIn(runtime, agents[one.agent]), title);
    runtime.close();
  });
});

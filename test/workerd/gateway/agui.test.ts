/** The door of AG-UI, asked by its official client, which checks the order of events itself. */
import type { BaseEvent } from '@ag-ui/client';
import { describe, expect, it } from 'vitest';
import { client, only, resolved, YES } from '../../support/agui-client';
import { get, post, send } from '../../support/api';
import { asks, calls, openGate, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { publishes, stands, threeLevels, waiting } from '../standing';

describe('the door of AG-UI', () => {
  it('[AU1] streams a text to the official client, and a second run on the same thread', async () => {
    const { agent, say, seen, types } = client();
    say(told({ text: 'Hello.' }));
    expect((await agent.runAgent({ runId: 'r1' })).result).toBe('Hello.');
    expect(types().filter((type) => type !== 'CUSTOM')).toEqual([
      ...['RUN_STARTED', 'STATE_SNAPSHOT', 'STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT'],
      ...['TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED'],
    ]);
    expect(seen.at(-1)).toMatchObject({ threadId: agent.threadId, runId: 'r1', outcome: { type: 'success' } });
    seen.length = 0;
    say(told({ text: 'Again.' }));
    expect((await agent.runAgent({ runId: 'r2' })).result).toBe('Again.');
    expect(types()).not.toContain('MESSAGES_SNAPSHOT');
    expect(agent.messages.map(({ role, content }) => [role, role === 'user' ? '' : content])).toEqual([
      ['user', ''],
      ['assistant', 'Hello.'],
      ['user', ''],
      ['assistant', 'Again.'],
    ]);
  });

  it('[AU4] [AU6] shows a call with its arguments and result, and the custom state once', async () => {
    const { agent, say, seen } = client();
    say(told(noted('a'), noted('b'), { text: 'ok' }));
    await agent.runAgent();
    expect(agent.state).toEqual({ noted: 'b' });
    const call = agent.messages.find(({ role }) => role === 'assistant');
    expect(call).toMatchObject({ toolCalls: [{ function: { name: 'note', arguments: '{"text":"a"}' } }] });
    expect(only(seen, 'TOOL_CALL_RESULT')).toMatchObject([{ content: '{"noted":"a"}' }, { content: '{"noted":"b"}' }]);
  });

  it('[AU5] [AU7] [AU8] shows three levels, and takes the answer to a question of a grandchild', async () => {
    const { agent, say, seen, at } = client();
    say(told(calls('middle', [calls('leaf', [publishes('x'), { text: 'l' }]), { text: 'm' }]), { text: 't' }));
    await agent.runAgent({ runId: 'r1' });
    const [middle, leaf] = only(seen, 'SUBAGENT_STARTED');
    expect(middle).toMatchObject({ name: 'middle', parentToolCallId: expect.any(String) });
    expect(middle).not.toHaveProperty('parentSubagentRunId');
    expect(leaf).toMatchObject({ name: 'leaf', parentSubagentRunId: middle?.subagentRunId });
    const [asked] = agent.pendingInterrupts;
    expect(agent.pendingInterrupts).toHaveLength(1);
    expect(asked).toMatchObject({ subagentRunId: leaf?.subagentRunId, reason: 'tool_call' });
    expect(only(seen, 'SUBAGENT_FINISHED')).toMatchObject([
      { subagentRunId: leaf?.subagentRunId, outcome: { type: 'suspended', interruptIds: [asked?.id] } },
      { subagentRunId: middle?.subagentRunId, outcome: { type: 'suspended', interruptIds: [] } },
    ]);
    seen.length = 0;
    const { result } = await agent.runAgent({ runId: 'r2', resume: resolved(agent.pendingInterrupts) });
    expect(result).toBe('t');
    expect(only(seen, 'SUBAGENT_STARTED').map(({ subagentRunId }) => subagentRunId)).toEqual(
      expect.arrayContaining([middle?.subagentRunId, leaf?.subagentRunId]),
    );
    expect(only(seen, 'SUBAGENT_FINISHED')).toMatchObject([
      { subagentRunId: leaf?.subagentRunId, result: 'l', outcome: { type: 'success' } },
      { subagentRunId: middle?.subagentRunId, result: 'm', outcome: { type: 'success' } },
    ]);
    // The call was shown in the run before: its result alone is new.
    expect(only(seen, 'TOOL_CALL_START')).toEqual([]);
    expect(only(seen, 'TOOL_CALL_RESULT')[0]).toMatchObject({ toolCallId: asked?.toolCallId });
    await stands(at, 'completed');
  });

  const twoWait = told(
    calls('middle', [calls('leaf', [publishes('x'), { text: 'l1' }], [publishes('y'), { text: 'l2' }]), { text: 'm' }]),
    { text: 't' },
  );

  it('[AU7] [AU8] check 33: gives two grandchildren that wait at once together, and takes both answers', async () => {
    const { agent, say } = client();
    say(twoWait);
    await agent.runAgent();
    expect(new Set(agent.pendingInterrupts.map(({ subagentRunId }) => subagentRunId)).size).toBe(2);
    // The client itself sends both or none.
    await expect(agent.runAgent({ resume: resolved(agent.pendingInterrupts.slice(0, 1)) })).rejects.toThrow('pending');
    expect((await agent.runAgent({ resume: resolved(agent.pendingInterrupts) })).result).toBe('t');
    expect(agent.pendingInterrupts).toEqual([]);
  });

  it('[AU7] check 33: takes one of two answers from a client that sends one, and waits for the other', async () => {
    const { agent, say } = client();
    say(twoWait);
    await agent.runAgent();
    const [first, second] = agent.pendingInterrupts;
    agent.pendingInterrupts = [];
    await agent.runAgent({ resume: resolved(first ? [first] : []) });
    expect(agent.pendingInterrupts.map(({ id }) => id)).toEqual([second?.id]);
    expect((await agent.runAgent({ resume: resolved(agent.pendingInterrupts, false) })).result).toBe('t');
  });

  it('[AU2] counts an answer and a message once, however often they come', async () => {
    const { agent, say, at, thread } = client();
    say(told(publishes('x'), { text: 'ok' }));
    await agent.runAgent();
    const resume = resolved(agent.pendingInterrupts);
    const messages = structuredClone(agent.messages);
    await agent.runAgent({ resume });
    const again = client(thread);
    again.agent.messages = messages;
    expect((await again.agent.runAgent({ resume })).result).toBe('ok');
    again.agent.messages = messages.slice(0, 1);
    expect((await again.agent.runAgent()).result).toBe('ok');
    const { body } = await get(`${at}/messages`);
    expect(body.items.filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(again.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(again.agent.messages[0]?.id).toBe('u1');
  });

  it('[AU6] [AU9] check 33: shows a client that joins in the middle everything once, with the same ids and depth', async () => {
    const gate = crypto.randomUUID();
    const { agent, say, seen, thread, at } = client();
    const leaf = calls('leaf', [{ text: 'begun' }, { text: 'l' }]);
    say(told(noted('a'), calls('middle', [leaf, { text: 'm' }]), { gate, text: 'end' }));
    const childEnded = new Promise<void>((resolve) => {
      agent.subscribe({
        onEvent: ({ event }) => void (event.type === 'SUBAGENT_FINISHED' && event.result === 'm' && resolve()),
      });
    });
    const aborted = agent.runAgent({ runId: 'r1' });
    await childEnded;
    agent.abortRun();
    await aborted;
    await stands(at, 'running');
    const joined = client(thread);
    const running = joined.agent.runAgent({ runId: 'r2' });
    openGate(gate);
    expect((await running).result).toBe('end');
    expect(joined.types().slice(0, 3)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STATE_SNAPSHOT']);
    expect(joined.agent.state).toEqual({ noted: 'a' });
    const started = (events: readonly BaseEvent[]) =>
      only(events, 'SUBAGENT_STARTED').map((one) => [one.subagentRunId, one.parentSubagentRunId]);
    expect(started(joined.seen)).toEqual(started(seen));
    expect(started(seen)).toMatchObject([
      [expect.any(String), undefined],
      [expect.any(String), started(seen)[0]?.[0]],
    ]);
    const texts = joined.agent.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
    expect(texts.filter((text) => text === 'end')).toHaveLength(1);
    const shown = joined.agent.messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
    expect(shown.map(({ function: { name } }) => name)).toEqual(['note', 'subagent__middle', 'subagent__leaf']);
  });

  it("[AU7] takes the result of the client's own tool, by an interrupt or by a message of the tool", async () => {
    for (const by of ['resume', 'message']) {
      const { agent, say } = client();
      say(told(asks(['pick', { of: ['a', 'b'] }]), { text: 'ok' }));
      await agent.runAgent({ tools: [{ name: 'pick', description: '' }] });
      const [asked] = agent.pendingInterrupts;
      expect(asked).toMatchObject({ reason: 'client_tool', toolCallId: asked?.id });
      const resume = by === 'resume' ? resolved(agent.pendingInterrupts, { picked: 'b' }) : [];
      if (by === 'message') {
        agent.pendingInterrupts = [];
        const content = JSON.stringify({ picked: 'b' });
        agent.messages = [...agent.messages, { id: 'tool1', role: 'tool', toolCallId: asked?.id ?? '', content }];
      }
      expect((await agent.runAgent({ resume })).result).toBe('ok');
    }
  });

  it('[AU7] denies what a client cancels, with its reason', async () => {
    const { agent, say, seen } = client();
    say(told(publishes('x'), { text: 'ok' }));
    await agent.runAgent();
    const [asked] = agent.pendingInterrupts;
    const resume = [{ interruptId: asked?.id ?? '', status: 'cancelled' as const }];
    expect((await agent.runAgent({ resume })).result).toBe('ok');
    expect(only(seen, 'TOOL_CALL_RESULT')).toMatchObject([{ content: expect.stringContaining('approval_denied') }]);
  });

  it('[AU9] stops a run by its own path, and says so as cancelled', async () => {
    const { agent, say, seen, thread, at } = client();
    say(told({ gate: crypto.randomUUID(), text: 'never' }));
    const running = agent.runAgent();
    await stands(at, 'running');
    const { status } = await post(`/agui/top/stop`, { threadId: thread, reason: 'enough' });
    expect(status).toBe(202);
    await running;
    expect(seen.at(-1)).toMatchObject({ outcome: { type: 'cancelled' } });
  });

  it('[AU1] [AU3] refuses with a problem document what it does not take', async () => {
    const base = { threadId: 'x', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'hi' }] };
    const bad = [
      [{}, 400, 'invalid_request'],
      [{ ...base, threadId: '7' }, 400, 'invalid_address'],
      [{ ...base, threadId: 'a/b' }, 400, 'invalid_address'],
      [{ ...base, runId: 'r'.repeat(1_101) }, 400, 'invalid_request'],
      [{ ...base, protocolVersion: '2.0' }, 400, 'invalid_request'],
      [{ ...base, tools: [{ name: 'mine', description: '' }] }, 400, 'invalid_request'],
      [{ ...base, messages: [{ id: 'u'.repeat(201), role: 'user', content: 'hi' }] }, 400, 'invalid_request'],
      [{ ...base, messages: [], threadId: crypto.randomUUID() }, 404, 'not_found'],
    ] as const;
    for (const [body, status, code] of bad) {
      const answer = await post('/agui/top', body as never);
      expect([answer.status, answer.body], JSON.stringify(body)).toMatchObject([status, { code }]);
    }
    expect((await post('/agui/nobody', base)).status).toBe(404);
    expect((await send('/agui/top')).status).toBe(405);
  });

  it('[AU7] refuses an answer to other arguments than were shown, and does none of the rest', async () => {
    const { at, thread } = await threeLevels(publishes('x')).then(({ at }) => ({ at, thread: at.split('/')[3] ?? '' }));
    const [item] = await waiting(at, 1);
    const ask = (resume: object[]) =>
      post('/agui/top', { threadId: thread, runId: 'r', messages: [], resume } as never);
    const other = { interruptId: `${item?.toolCallId}.${'0'.repeat(64)}`, status: 'resolved', payload: YES };
    expect(await ask([other])).toMatchObject({ status: 409, body: { code: 'input_changed' } });
    const blank = { ...other, interruptId: `${item?.toolCallId}.${item?.inputHash}`, payload: null };
    expect(await ask([blank])).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    await waiting(at, 1);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { InboundMessage } from '../../src/core/agent/inbound';
import type { Call, RepliedStep } from '../../src/core/agent/state';
import { stepMessages, transcriptOf } from '../../src/core/agent/transcript';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { failure } from '../../src/protocol/errors';
import {
  type CallResult,
  createSubAgentResultMessage,
  findUnpairedFinishCallId,
  type Message,
  resultContent,
  synthesizeFinishToolResult,
  unpairedCalls,
} from '../../src/protocol/messages';
import { Machine, planned } from '../support/machine';
import { noModel } from '../support/no-model';
import { present } from '../support/present';

/** A step with these calls, each settled or left open. */
function step(settled: readonly (Call['settled'] | undefined)[]): RepliedStep {
  const machine = new Machine();
  machine.start();
  machine.reply({ text: 'So:', calls: [...settled.map(() => planned.tool()), planned.tool()] });
  const { calls, reply, ...rest } = machine.step;
  const kept = calls
    .slice(0, settled.length)
    .map((call, index) => ({ ...call, ...(settled[index] ? { settled: settled[index] } : {}) }));
  return { ...rest, calls: kept, reply: reply.slice(0, settled.length + 1) };
}

const landed = (value: number): Call['settled'] => ({ result: { success: true, value }, at: 1, startedAt: 1 });
const call = (toolCallId: string, toolName = 'note') => ({
  type: 'tool-call' as const,
  toolCallId,
  providerId: 'p',
  toolName,
  input: {},
});
const message = (id: number, options: Partial<InboundMessage> = {}): InboundMessage => ({
  id,
  messageId: `m_${id}`,
  role: 'user',
  content: `${id}`,
  from: 'caller',
  at: 1,
  ...options,
});

describe('the transcript', () => {
  it('[MS1, CL6] follows each assistant message with one tool message for each call, in the order of the calls', () => {
    const messages = stepMessages(step([landed(1), landed(2), landed(3)]));
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'tool']);
    const [assistant, ...tools] = messages;
    const ids =
      assistant?.role === 'assistant'
        ? assistant.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [];
    expect(tools.map((tool) => tool.role === 'tool' && tool.toolCallId)).toEqual(ids);
    expect(unpairedCalls(messages)).toEqual([]);
  });

  it('[MS1] F119, L7: heals a call that an older release left open when it is read', () => {
    const open = step([landed(1), undefined]);
    const messages = transcriptOf([], [open]);
    expect(unpairedCalls(messages)).toEqual([]);
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: open.calls[1]?.callId,
      result: { success: false, error: { code: 'superseded' } },
    });
  });

  it('[MS1] F119: a `__finish__` that was left open is paired when it is read, as one whose output was taken', () => {
    const open = step([landed(1), undefined]);
    const [note, last] = open.calls.map(present);
    const dangling = { ...open, calls: [present(note), { ...present(last), name: '__finish__' }] };
    const named = {
      ...dangling,
      reply: dangling.reply.map((part) =>
        part.type === 'tool-call' && part.index === 1 ? { ...part, toolName: '__finish__' } : part,
      ),
    };
    const healed = transcriptOf([], [named]);
    const [before] = healed;
    expect(before && findUnpairedFinishCallId([before])).toBe(last?.callId);
    expect(findUnpairedFinishCallId(healed)).toBeUndefined();
    expect(unpairedCalls(healed)).toEqual([]);
    expect(healed.at(-1)).toEqual(synthesizeFinishToolResult(last?.callId ?? ''));
  });

  it('[MS1, DL1] has the messages where steps saw them, and what no step has seen at its end', () => {
    const first = { ...step([landed(1)]), id: 1, messagesUpTo: 2 };
    const second = { ...step([]), id: 2, messagesUpTo: 3 };
    const texts = transcriptOf(
      [1, 2, 3, 4].map((id) => message(id)),
      [first, second],
    ).map((each) => (each.role === 'user' ? each.content : each.role));
    expect(texts).toEqual(['1', '2', 'assistant', 'tool', '3', 'assistant', '4']);
  });

  it('[MS1] keeps files of a user and the text alone of a system message', () => {
    const content = [
      { type: 'text' as const, text: 'see' },
      { type: 'file' as const, mediaType: 'text/plain', data: 'eA==' },
    ];
    expect(transcriptOf([message(1, { content }), message(2, { role: 'system', content })], [])).toEqual([
      { role: 'user', content },
      { role: 'system', content: 'see' },
    ]);
  });

  it('[MS1] a reply without any content is no message', () => {
    expect(transcriptOf([], [{ ...step([]), reply: [] }])).toEqual([]);
  });
});

describe('helpers for transcripts', () => {
  it('[DF2] synthesizeFinishToolResult and createSubAgentResultMessage make tool messages that pair', () => {
    const transcript: Message[] = [
      { role: 'assistant', content: [call('c_1', '__finish__'), call('c_2', 'subagent__kid')] },
      synthesizeFinishToolResult('c_1'),
      createSubAgentResultMessage({
        toolCallId: 'c_2',
        agentType: 'kid',
        result: { success: false, error: failure('aborted', 'why') },
      }),
    ];
    expect(unpairedCalls(transcript)).toEqual([]);
    expect(transcript[1]).toMatchObject({ toolName: '__finish__', result: { success: true } });
    expect(transcript[2]).toMatchObject({ toolName: 'subagent__kid' });
    const result = transcript[2]?.role === 'tool' ? resultContent(transcript[2].result) : undefined;
    expect(result).toEqual({ success: false, error: 'why', code: 'aborted' });
  });

  it('[DF2, DF6] the message of a sub-agent names its tool, which has a name of its own or that of the agent', () => {
    const kid = defineAgent({ name: 'kid', systemPrompt: 'Work.', model: noModel });
    for (const name of [undefined, 'second_kid']) {
      const named = name === undefined ? {} : { name };
      const tool = createSubAgentTool(kid, z.object({}), named);
      const result: CallResult = { success: true, value: 'done' };
      const made = createSubAgentResultMessage({ toolCallId: 'c_1', agentType: kid.name, ...named, result });
      expect(made).toEqual({ role: 'tool', toolCallId: 'c_1', toolName: tool.name, result });
    }
  });

  it('[DF2] findUnpairedFinishCallId finds the finishing call that nothing answers, past others and anywhere', () => {
    const finish: Message = {
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }, call('c_1'), call('c_2', '__finish__')],
    };
    expect(findUnpairedFinishCallId([])).toBeUndefined();
    expect(findUnpairedFinishCallId([{ role: 'user', content: 'x' }, finish])).toBe('c_2');
    expect(
      findUnpairedFinishCallId([finish, synthesizeFinishToolResult('c_2'), { role: 'user', content: 'more' }]),
    ).toBeUndefined();
    expect(unpairedCalls([finish, synthesizeFinishToolResult('c_2')]).map(({ toolCallId }) => toolCallId)).toEqual([
      'c_1',
    ]);
    const again: Message = { role: 'assistant', content: [call('c_3', '__finish__')] };
    expect(findUnpairedFinishCallId([finish, synthesizeFinishToolResult('c_2'), again])).toBe('c_3');
  });
});

/**
 * A model port that answers by script, without streams: what a model answers depends on the request alone, and what it
 * was asked is kept. For tests of the core and the engine; the model layer has tests of its own.
 */

import type { ModelDelta, ModelPort, ModelReply, ModelRequest, ReplyCall } from '../../src/core/definition/model-port';
import type { ErrorCode } from '../../src/protocol/errors';
import { OffshootError } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { FINISH_TOOL } from '../../src/protocol/messages';
import { NO_USAGE, type Usage } from '../../src/protocol/usage';
import { copied } from '../../src/testing/copied';

/** One answer. Text comes first, then calls, then `finish`. */
export interface Answer {
  readonly text?: string;
  readonly thinking?: string;
  /** What streams, in place of the text's words. */
  readonly deltas?: readonly ModelDelta[];
  readonly calls?: readonly { readonly name: string; readonly input?: Json; readonly malformed?: string }[];
  /** A call of `__finish__` with this input. */
  readonly finish?: Json;
  readonly usage?: Partial<Usage>;
  readonly finishReason?: ModelReply['finishReason'];
  /** Fails in place of the answer. */
  readonly fail?: { readonly code: ErrorCode; readonly retryable?: boolean };
  /** Never answers; ends when it is aborted. */
  readonly hang?: boolean;
}

/** Answers by the step of the run, or for each request. */
export type Answers = readonly Answer[] | ((request: ModelRequest) => Answer);

/** What a model was asked. */
export type Asked = Pick<ModelRequest, 'agentType' | 'sessionId' | 'runId' | 'step' | 'attempt' | 'messages'>;

/** A port for each type of agent, with everything that they were asked. */
export class ScriptedPort implements ModelPort {
  readonly asked: Asked[] = [];
  /** What each answer cost, as a provider would bill it. */
  readonly answered: (Pick<ModelRequest, 'agentType' | 'sessionId'> & { readonly usage: Usage })[] = [];
  /** Calls that are under way now. */
  working = 0;

  constructor(readonly scripts: Readonly<Record<string, Answers>>) {}

  /** One of several models of an agent, by its place: the second answers by the script `NAME 2` as `test/scripted-2`. */
  at(place: number): ModelPort {
    return place === 0 ? this : { call: (request, options) => this.call(request, options, ` ${place + 1}`) };
  }

  async call(request: ModelRequest, options: Parameters<ModelPort['call']>[1], which = ''): Promise<ModelReply> {
    const { agentType, sessionId, runId, step, attempt } = request;
    this.asked.push({ agentType, sessionId, runId, step, attempt, messages: copied(request.messages) });
    this.working++;
    try {
      const reply = await answerTo(this.#answer(request, which), options);
      this.answered.push({ agentType, sessionId, usage: reply.usage });
      return { ...reply, model: `${reply.model}${which.replace(' ', '-')}` };
    } finally {
      this.working--;
    }
  }

  #answer(request: ModelRequest, which: string): Answer {
    const script = this.scripts[request.agentType + which];
    const answer = typeof script === 'function' ? script(request) : script?.[request.step - 1];
    if (answer === undefined)
      throw new OffshootError('model_error', `No answer for step ${request.step} of ${request.agentType}.`);
    return answer;
  }
}

async function answerTo(answer: Answer, { signal, onDelta }: Parameters<ModelPort['call']>[1]): Promise<ModelReply> {
  for (const delta of answer.deltas ?? deltasOf(answer)) onDelta(delta);
  if (answer.hang)
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new OffshootError('aborted'))));
  if (answer.fail)
    throw new OffshootError(
      answer.fail.code,
      undefined,
      answer.fail.retryable === undefined ? {} : { retryable: answer.fail.retryable },
    );
  const calls = callsOf(answer);
  return {
    content: [
      ...(answer.thinking === undefined ? [] : [{ type: 'reasoning' as const, text: answer.thinking }]),
      ...(answer.text === undefined ? [] : [{ type: 'text' as const, text: answer.text }]),
      ...calls,
    ],
    finishReason: answer.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5, modelCalls: 1, ...answer.usage },
    model: 'test/scripted',
  };
}

function deltasOf({ thinking, text = '' }: Answer): ModelDelta[] {
  const words = text.split(/(?<= )/).filter((word) => word !== '');
  const part = thinking === undefined ? 0 : 1;
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, part: 0, delta: thinking }]),
    ...words.map((delta) => ({ type: 'text' as const, part, delta })),
  ];
}

/** The provider's ids repeat from step to step, as some providers' do. */
function callsOf(answer: Answer): ReplyCall[] {
  const calls = [
    ...(answer.calls ?? []),
    ...(answer.finish === undefined ? [] : [{ name: FINISH_TOOL, input: answer.finish }]),
  ];
  return calls.map((call, index) => ({
    type: 'tool-call',
    providerId: `call_${index}`,
    toolName: call.name,
    input: call.input ?? {},
    ...('malformed' in call && call.malformed !== undefined ? { malformed: call.malformed } : {}),
  }));
}

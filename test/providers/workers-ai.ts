/** The binding of Workers AI (`env.AI`): what its schema refuses, and how it answers. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { workersAi as provider } from '../../src/model/providers/workers-ai';
import { chatEvents, chatWhole } from './chat';
import { type Reply, settled } from './replies';
import { type ChatBody, type ChatMessage, chatCall, chatPicture, chatTalk } from './rules/chat-rules';
import { SAMPLES } from './rules/pictures';
import { isRecord, judgeBy, type Limits, type Problem, type Refusal, type Rule } from './rules/rule';

/** The inputs of a call of the binding, with the model that they are for. */
export interface RunBody extends Partial<ChatBody> {
  readonly model: string;
  readonly prompt?: string;
}

type RunRule = Rule<RunBody>;

const USER: ChatMessage = { role: 'user', content: 'Look.' };
const MODEL = { model: '@cf/moonshotai/kimi-k2.7-code' } as const;

function refused(code: number, message: string, status = 400): Refusal {
  return { status, body: { errors: [{ message, code }], success: false, result: {}, messages: [] } };
}

function badInput(faults: readonly string[]): Refusal {
  const all = ["required properties at '/' are 'prompt'", ...faults].join(', ');
  return refused(5006, `AiError: Bad input: Error: oneOf at '/' not met, 0 matches: ${all}`);
}

const RULES: readonly RunRule[] = [
  {
    id: 'unknown-model',
    says: 'A model is named as in the catalog.',
    source: 'https://developers.cloudflare.com/workers-ai/platform/errors/',
    refuses: chatTalk([USER], { model: 'kimi-k2' }),
    takes: chatTalk([USER], MODEL),
    problem: ({ body: { model } }) =>
      /^@(cf|hf)\/[^/]+\/.+/.test(model) ? undefined : refused(5007, `No such model ${model} or task`),
  },
  {
    id: 'no-input',
    says: 'The inputs have messages or a prompt.',
    source: 'https://developers.cloudflare.com/workers-ai/models/',
    refuses: { ...MODEL, input: 'Look.' },
    takes: { ...MODEL, prompt: 'Look.' },
    problem: ({ body }) =>
      body.prompt !== undefined || Array.isArray(body.messages)
        ? undefined
        : badInput(["required properties at '/' are 'messages'"]),
  },
  {
    id: 'content-missing',
    says: 'Each message has a role and a content, which is not null.',
    source:
      'https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/1256; ' +
      'https://github.com/TencentCloud/TencentDB-Agent-Memory/issues/1313',
    refuses: chatTalk([USER, { role: 'assistant', content: null, tool_calls: [chatCall('call_1')] }], MODEL),
    takes: chatTalk([USER, { role: 'assistant', content: '', tool_calls: [chatCall('call_1')] }], MODEL),
    problem({ body: { messages = [] } }) {
      const faults = messages.flatMap((message, i) =>
        !isRecord(message) || typeof message.role !== 'string' || (message.content ?? null) === null
          ? [`required properties at '/messages/${i}' are 'role,content'`]
          : [],
      );
      return faults.length === 0 ? undefined : badInput(faults);
    },
  },
  {
    id: 'content-list',
    says: 'The content of a message is a text, but where a model takes pictures.',
    source: 'https://github.com/diegosouzapw/OmniRoute/issues/2539; https://github.com/anomalyco/opencode/issues/30381',
    certainty: 'reported',
    refuses: chatPicture(`data:image/png;base64,${SAMPLES['image/png']}`, MODEL),
    takes: chatTalk([USER], MODEL),
    problem({ body: { messages = [] }, limits }) {
      if (limits.vision === true) return undefined;
      const faults = messages.flatMap(({ content }, i) =>
        typeof content === 'string' ? [] : [`Type mismatch of '/messages/${i}/content', 'array' not in 'string'`],
      );
      return faults.length === 0 ? undefined : badInput(faults);
    },
  },
  {
    id: 'window',
    says: "The inputs and the reply fit the model's window.",
    source: 'quoted in public code ("5021: The estimated number of input and maximum output tokens", ten files)',
    refuses: chatTalk([{ role: 'user', content: 'x'.repeat(1_000) }], MODEL),
    takes: chatTalk([{ role: 'user', content: 'x'.repeat(300) }], MODEL),
    limits: { window: 200 },
    problem({ tokens, body: { max_tokens = 0 }, limits: { window } }) {
      if (window === undefined || tokens + max_tokens <= window) return undefined;
      const asked = tokens + max_tokens;
      return refused(
        5021,
        `AiError: The estimated number of input and maximum output tokens (${asked}) exceeded this model context window limit (${window}).`,
        413,
      );
    },
  },
];

/** The rules of the binding, and the verdict by them on `{ model, ...inputs }`. */
export const workersAi = {
  kind: 'workers-ai',
  rules: RULES,
  problem: judgeBy(RULES, (message) => badInput([message])),
} as const;

/** A call of the binding. */
export interface Run {
  readonly model: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly problem?: Problem;
}

/** Answers and limits of a binding. */
export interface BindingOptions {
  readonly replies: readonly Reply[];
  readonly limits?: Limits;
}

/**
 * A binding as `env.AI` is one, for `createWorkersAI({ binding })`. What it refuses, or is scripted to fail with, it
 * throws as the binding does: an error whose message begins with a code.
 */
export function workersAiBinding({ replies, limits = {} }: BindingOptions) {
  const runs: Run[] = [];
  let used = 0;
  const run = async (model: string, inputs: Run['inputs']): Promise<unknown> => {
    const problem = workersAi.problem({ model, ...inputs }, limits);
    runs.push({ model, inputs, ...(problem === undefined ? {} : { problem }) });
    if (problem !== undefined) throw thrown(problem);
    const reply = replies[used] ?? { status: 500, code: '5000', message: 'No reply is scripted.' };
    used += 1;
    if ('status' in reply) throw new Error(`${reply.code ?? '3043'}: ${reply.message ?? 'Internal server error'}`);
    const about = { n: runs.length, model };
    if (inputs.stream !== true) {
      await settled(reply);
      return chatWhole(reply, about);
    }
    return streamed(chatEvents(reply, about));
  };
  return { runs, binding: { run } };
}

/** A model of the package over a binding, loaded as the library loads it. */
export function workersAiModel(binding: object): Promise<LanguageModelV4> {
  return provider.choose({ AI: binding }, MODEL.model, `workers-ai/${MODEL.model}`).load();
}

function thrown({ body }: Problem): Error {
  const [first] = isRecord(body) && Array.isArray(body.errors) ? body.errors : [];
  return Object.assign(new Error(`${first?.code}: ${first?.message}`), { name: 'InferenceUpstreamError' });
}

function streamed(frames: ReturnType<typeof chatEvents>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let next = frames.next();
      while (!next.done && typeof next.value !== 'string') {
        await next.value.wait;
        next = frames.next();
      }
      if (next.done) controller.close();
      else if (typeof next.value === 'string') controller.enqueue(encoder.encode(next.value));
    },
  });
}

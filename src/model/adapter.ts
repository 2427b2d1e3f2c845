/**
 * The model port over any language model of the AI SDK. The loop, repeats and tools are not here: it asks once
 * (decision 7).
 *
 * Keeps M1, M4, M11.
 */
import type { AiModelSource } from '../core/definition/definition';
import type { ModelPort, ModelReply, ModelRequest, SettingWarning } from '../core/definition/model-port';
import { failureOf, OffshootError } from '../protocol/errors';
import type { Usage } from '../protocol/usage';
import { type Call, callOf } from './call/options';
import { warningsOf } from './call/warnings';
import { Parts, reportLateUsage } from './late';
import { modelError } from './model-error';
import { secretsOf } from './redact';
import { modelName, ReplyBuilder, toUsage } from './reply';
import { madeFiles } from './request/made-files';
import type { Profile } from './request/profile';
import { profileOf, unran } from './request/profiles';
import { type TakenRequest, toRequest } from './request/request';
import { type AskedModel, type LanguageModel, resolveModel } from './resolve';
import { Watch } from './watch';

/**
 * A model as the core sees it.
 *
 * `source` is a model object of the AI SDK (versions 5 to 7) or a function of `env` that returns one; it is resolved at
 * the first call, and again after a failure to resolve it. Values of `env` whose names say that they are secret
 * never appear in an error's message.
 *
 * Errors of `call`: `model_rate_limited`, `model_overloaded`, `model_unavailable` (a broken connection or server),
 * `model_unauthorized`,
 * `model_refused` (a refused request; a reply that was stopped has the finish reason `content-filter`),
 * `model_timeout`, `model_bad_reply`, `model_error`; `invalid_definition` for a source that is no model; the reason of
 * the signal where it is one of ours, or `aborted`.
 *
 * With `onLateUsage`, the rest of the stream of an aborted or failed call is read for at most `LATE_USAGE_MS`,
 * only for the tokens at its end; without it, the stream is closed at once.
 */
export function modelPort(source: LanguageModel): ModelPort;
export function modelPort<Env>(source: AiModelSource<Env>, env: Env): ModelPort;
export function modelPort(source: AiModelSource, env?: unknown): ModelPort {
  const secrets = secretsOf(env);
  let resolving: Promise<AskedModel> | undefined;
  const resolve = (): Promise<AskedModel> => {
    resolving ??= resolveModel(source, env).catch((error: unknown) => {
      resolving = undefined;
      throw error;
    });
    return resolving;
  };
  return {
    provider: async () => (await resolve()).provider,
    async call(request, options) {
      const watch = new Watch(options.signal);
      let name = 'The model';
      try {
        watch.expect(request.firstChunkMs, () => `${name}: no reply began within ${request.firstChunkMs} ms.`);
        const model = await watch.race(resolve());
        name = modelName(model.provider, model.modelId);
        return await ask(model, request, watch, options);
      } catch (thrown) {
        const error = modelError(thrown, { model: name, secrets, now: Date.now() });
        watch.end(error);
        throw error;
      } finally {
        watch.close();
      }
    },
  };
}

async function ask(
  model: AskedModel,
  request: ModelRequest,
  watch: Watch,
  { onDelta, onLateUsage, readFile }: Parameters<ModelPort['call']>[1],
): Promise<ModelReply> {
  if (watch.ended) throw watch.ended;
  const profile = profileOf(model.provider, model.modelId);
  const files = profile.ownFiles && readFile ? await watch.race(madeFiles(request.messages, readFile)) : undefined;
  const taken = toRequest(request, profile, files);
  const notes = newNotes(taken);
  const call = callOf(model, request, taken, profile, watch.signal);
  const warnings = [...call.warnings];
  const unwritten = (): Call =>
    callOf(model, request, toRequest(request, unran(profile), files), profile, watch.signal);
  const asked = streamOf(call, profile, unwritten).then(({ stream }) => new Parts(stream));
  const builder = new ReplyBuilder(
    model,
    onDelta,
    request.providerTools,
    new Set(request.tools.map(({ name }) => name)),
  );
  const spent = (usage: Usage): void => onLateUsage?.(usage, builder.model);
  const learnt: Learnt = { warnings, isBroken: false, spent };
  let late: Promise<void> | undefined;
  try {
    const reply = await read(await watch.race(asked), builder, request, watch, learnt);
    return { ...reply, ...(notes.length === 0 ? {} : { notes }), ...(warnings.length === 0 ? {} : { warnings }) };
  } catch (error) {
    if (onLateUsage && (watch.aborted || learnt.isBroken)) late = reportLateUsage(asked, spent);
    throw error;
  } finally {
    void leave(asked, watch, late);
  }
}

/**
 * Asks the model. A package checks what its provider ran before it sends that back, and throws where it was changed: then
 * nothing was sent, and that is written as text.
 */
async function streamOf({ model, options }: Call, { ranBack }: Profile, unwritten: () => Call) {
  try {
    return await model.doStream(options);
  } catch (error) {
    if (!isUnwritable(error) || ranBack === undefined) throw error;
    const again = unwritten();
    return again.model.doStream(again.options);
  }
}

const isUnwritable = (error: unknown): boolean => error instanceof Error && error.name === 'AI_TypeValidationError';

/** Closes a stream that nobody reads any more, also one that comes only after the race for it was lost. */
async function leave(asked: Promise<Parts>, watch: Watch, late: Promise<void> | undefined): Promise<void> {
  await late;
  asked.then((parts) => parts.close(watch.ended)).catch(() => {});
}

/** The subjects of the notes that have been passed on. */
const noted = new WeakSet<object>();

/** The notes of a request that no request before it had. */
function newNotes({ notes }: TakenRequest): string[] {
  const fresh = notes.filter(({ about }) => !noted.has(about));
  for (const { about } of fresh) noted.add(about);
  return fresh.map(({ text }) => text);
}

/** The facts about a reply that are learnt while it is read. */
interface Learnt {
  readonly warnings: SettingWarning[];
  /** True once the stream has reported an error: what it spent may follow. */
  isBroken: boolean;
  /** Takes the tokens of a reply that comes to nothing. */
  spent(usage: Usage): void;
}

/**
 * Reads up to `finish`. Every part but `stream-start` (which stands for the answer's headers) is a sign of life;
 * until the reply itself begins, the next sign may take `firstChunkMs`, because models think before they speak.
 */
async function read(
  parts: Parts,
  reply: ReplyBuilder,
  { firstChunkMs, stallMs }: ModelRequest,
  watch: Watch,
  learnt: Learnt,
): Promise<ModelReply> {
  for (;;) {
    const { done, value: part } = await watch.race(parts.next());
    if (done) throw new OffshootError('model_bad_reply', `${reply.model}: the stream ended before the reply did.`);
    if (part?.type === 'error') {
      learnt.isBroken = true;
      throw part.error;
    }
    if (part?.type === 'finish') return finished(reply, part, learnt);
    if (part?.type === 'stream-start') {
      learnt.warnings.push(...warningsOf(part.warnings));
      continue;
    }
    understood(reply, () => reply.take(part));
    if (reply.begun) watch.expect(stallMs, () => `${reply.model}: nothing came for ${stallMs} ms.`);
    else watch.expect(firstChunkMs, () => `${reply.model}: no reply began within ${firstChunkMs} ms.`);
  }
}

type Finish = Parameters<ReplyBuilder['finish']>[0];

/** The whole reply. One that comes to nothing was paid for. */
function finished(reply: ReplyBuilder, part: Finish, { spent }: Learnt): ModelReply {
  try {
    return understood(reply, () => reply.finish(part));
  } catch (error) {
    const usage = toUsage(part.usage);
    if (usage.inputTokens + usage.outputTokens > 0) spent(usage);
    throw error;
  }
}

/** Reads a part. A package that breaks the interface of the AI SDK would break it again. */
function understood<Made>({ model }: ReplyBuilder, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (error instanceof OffshootError) throw error;
    const why = `${model}: a part of the reply breaks the interface of the AI SDK (${failureOf(error).message}).`;
    throw new OffshootError('model_bad_reply', why, { retryable: false, cause: error });
  }
}

import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { modelFromEnv } from '../../../src/model/from-env';
import { DEFAULT_WORKERS_AI_MODEL } from '../../../src/model/providers/workers-ai';
import { anthropic, defaultModel, MODEL_PROVIDERS } from '../../../src/models';
import { chatFrames } from '../../support/wire/openai-chat';
import { ask, provider } from './ask';
import { FINISH, fakeModel, textParts } from './fake-model';

const offline = fakeModel([...textParts('Offline.'), FINISH], { provider: 'offline', modelId: 'rules' }).model;
const chosenModel = modelFromEnv(MODEL_PROVIDERS, { otherwise: offline });
const AI = { run: () => Promise.reject(new Error('Not called.')) };

const chosen = async (env: object): Promise<string> => {
  const model = await chosenModel(env);
  return `${model.provider} ${model.modelId}`;
};

describe('the model that the environment chooses', () => {
  it.each([
    [
      { OFFSHOOT_MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'k', AI },
      'openai.responses gpt-5',
      'openai/gpt-5, because OFFSHOOT_MODEL names it.',
    ],
    [
      { OFFSHOOT_MODEL: ' anthropic/claude-x\n', ANTHROPIC_API_KEY: 'k' },
      'anthropic.messages claude-x',
      'anthropic/claude-x, because OFFSHOOT_MODEL names it.',
    ],
    [
      { OFFSHOOT_MODEL: 'openai-compatible/org/model', OFFSHOOT_BASE_URL: 'http://localhost:1/v1' },
      'openai-compatible.chat org/model',
      'openai-compatible/org/model at http://localhost:1/v1, because OFFSHOOT_MODEL names it.',
    ],
    [
      { OFFSHOOT_MODEL: 'workers-ai/@cf/a/b', AI },
      'workersai.chat @cf/a/b',
      'workers-ai/@cf/a/b, because OFFSHOOT_MODEL names it.',
    ],
    [
      { AI, OPENAI_API_KEY: 'k' },
      `workersai.chat ${DEFAULT_WORKERS_AI_MODEL}`,
      `workers-ai/${DEFAULT_WORKERS_AI_MODEL}, because the binding AI is configured and OFFSHOOT_MODEL is not set.`,
    ],
    [
      { OFFSHOOT_MODEL: '  ' },
      'offline rules',
      'offline/rules, because neither OFFSHOOT_MODEL nor the binding AI is set.',
    ],
    [
      { OPENAI_API_KEY: 'k', UNRELATED: 'x' },
      'offline rules',
      'offline/rules, because neither OFFSHOOT_MODEL nor the binding AI is set (OPENAI_API_KEY alone names no model).',
    ],
  ])('[M28][M30] for %j', async (env, model, line) => {
    expect(await chosen(env)).toBe(model);
    expect(chosenModel.describe(env)).toBe(line);
  });

  it.each([
    [{ OFFSHOOT_MODEL: 'gpt-5' }, 'OFFSHOOT_MODEL is "gpt-5"; it must be provider/model'],
    [{ OFFSHOOT_MODEL: 'openai/' }, 'OFFSHOOT_MODEL is "openai/"; it must be provider/model'],
    [{ OFFSHOOT_MODEL: '/gpt-5' }, 'it must be provider/model'],
    [
      { OFFSHOOT_MODEL: 'gemini/pro' },
      `OFFSHOOT_MODEL names the provider "gemini"; known providers are openai, anthropic, openai-compatible, workers-ai.`,
    ],
    [{ OFFSHOOT_MODEL: 'openai/gpt-5', ANTHROPIC_API_KEY: 'k' }, 'so OPENAI_API_KEY must be set'],
    [{ OFFSHOOT_MODEL: 'anthropic/x', ANTHROPIC_API_KEY: ' ' }, 'so ANTHROPIC_API_KEY must be set'],
    [{ OFFSHOOT_MODEL: 'openai-compatible/x' }, 'OFFSHOOT_BASE_URL must say'],
    [
      { OFFSHOOT_MODEL: 'openai-compatible/x', OFFSHOOT_BASE_URL: 'localhost:11434' },
      'OFFSHOOT_BASE_URL must be an http or https address',
    ],
    [
      { OFFSHOOT_MODEL: 'openai-compatible/x', OFFSHOOT_BASE_URL: 'nonsense' },
      'OFFSHOOT_BASE_URL must be an http or https address',
    ],
    [{ OFFSHOOT_MODEL: 'workers-ai/@cf/a/b' }, 'there is no binding AI'],
    [{ AI: 'yes' }, 'AI is set, but it is not a Workers AI binding'],
    [{ OFFSHOOT_MODEL: 5 }, 'OFFSHOOT_MODEL must be text'],
  ])('[M29][M30] refuses %j, naming the variable', async (env, message) => {
    const outcome = await ask(modelPort(chosenModel, env));
    expect(outcome.failure).toMatchObject({ code: 'invalid_definition', retryable: false });
    expect(outcome.failure?.message).toContain(message);
    expect(chosenModel.describe(env)).toMatch(/^No model: /);
    expect(chosenModel.describe(env)).toContain(message);
  });

  it.each([
    [defaultModel, {}, 'neither OFFSHOOT_MODEL nor the binding AI is set. Set OFFSHOOT_MODEL to one of openai/…,'],
    [defaultModel, { OPENAI_API_KEY: 'k' }, '(OPENAI_API_KEY alone names no model). Set OFFSHOOT_MODEL'],
    [modelFromEnv([anthropic]), {}, 'OFFSHOOT_MODEL is not set. Set OFFSHOOT_MODEL to one of anthropic/….'],
    [
      modelFromEnv([anthropic]),
      { OFFSHOOT_MODEL: 'openai/gpt-5' },
      'the provider "openai"; known providers are anthropic.',
    ],
  ])('[M28][M30] says what to set where nothing is chosen and nothing stands in: %#', async (model, env, message) => {
    const outcome = await ask(modelPort(model, env));
    expect(outcome.failure).toMatchObject({ code: 'invalid_definition', retryable: false });
    expect(outcome.failure?.message).toContain(message);
    expect(model.describe(env)).toContain(message);
  });

  it('[M30] shows no credential of an address', () => {
    const env = { OFFSHOOT_MODEL: 'openai-compatible/x', OFFSHOOT_BASE_URL: 'https://user:hush@models.example/v1' };
    expect(chosenModel.describe(env)).toContain('models.example/v1');
    expect(chosenModel.describe(env)).not.toContain('hush');
  });

  it('[M28] asks the offline model like any other', async () => {
    const { reply } = await ask(modelPort(chosenModel, {}));
    expect(reply).toMatchObject({ model: 'offline/rules', content: [{ text: 'Offline.' }] });
  });

  it.each([
    ['with the key', { OFFSHOOT_API_KEY: ' k-123456\n' }, 'Bearer k-123456'],
    ['without one', {}, undefined],
  ])('[M31] asks a compatible server %s', async (_what, key, authorization) => {
    const server = await provider({ kind: 'stream', frames: chatFrames({ text: ['Hi.'] }) });
    const env = { OFFSHOOT_MODEL: 'openai-compatible/any', OFFSHOOT_BASE_URL: `${server.url}/v1`, ...key };
    const { reply } = await ask(modelPort(chosenModel, env));
    expect(reply).toMatchObject({ model: 'openai-compatible/gpt-test-2026', usage: { inputTokens: 120 } });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: { model: 'any', stream_options: { include_usage: true } },
    });
    expect(server.requests[0]?.headers.authorization).toBe(authorization);
  });
});

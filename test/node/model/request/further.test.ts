/** Further parts of replies, as requests have them: with exact prompts, where a stand-in cannot tell. */
import type { LanguageModelV2, LanguageModelV3 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../../src/core/agent/context/digest';
import { cutMessage, messageBytes } from '../../../../src/core/agent/context/size';
import { seenBy } from '../../../../src/core/agent/standard-agents/prompt-view';
import { modelPort } from '../../../../src/model/adapter';
import type { Json } from '../../../../src/protocol/json';
import type { AssistantPart, Message, ProviderCallPart, ProviderResultPart } from '../../../../src/protocol/messages';
import { png } from '../../../providers/rules/pictures';
import { ask } from '../ask';
import { anyStream, FINISH, fakeModel, textParts } from '../fake-model';
import { ALL_MODELS, type ModelName, promptOf, reply, user } from './asked';

const PAGE = { type: 'web_search_result', url: 'https://a.test/', title: 'A', pageAge: null, encryptedContent: 'c2Vl' };
const SEARCHED = 'anthropic.web_search_20250305';
const RUN = 'anthropic.code_execution_20250825';
const BY = { by: SEARCHED, providerId: 'srvtoolu_1', toolName: 'find' };
const CALL: ProviderCallPart = { type: 'provider-call', ...BY, input: { query: 'a' } };
const RESULT: ProviderResultPart = { type: 'provider-result', ...BY, result: [PAGE] };
const SOURCE: AssistantPart = { type: 'source', id: 's', sourceType: 'url', url: 'https://secret.test/', title: 'S' };
const FILE: AssistantPart = {
  type: 'reply-file',
  mediaType: 'image/png',
  path: 'generated/x.png',
  etag: 'e',
  bytes: 70,
};

const citing = (url: string): AssistantPart => ({
  type: 'text',
  text: 'Found.',
  providerMetadata: {
    anthropic: { citations: [{ type: 'web_search_result_location', url }, { type: 'char_location' }] },
  },
});

const contentOf = (model: ModelName, ...parts: AssistantPart[]): readonly unknown[] => {
  const message = promptOf([user(), reply(...parts)], model).find(({ role }) => role === 'assistant');
  return Array.isArray(message?.content) ? message.content : [];
};

describe('what a provider ran', () => {
  it('[RP6] is a pair of parts for it under the name of its own tool, and a text without what was sealed for others', () => {
    expect(contentOf('anthropic', CALL, RESULT)).toEqual([
      {
        type: 'tool-call',
        toolCallId: 'srvtoolu_1',
        toolName: 'web_search',
        input: { query: 'a' },
        providerExecuted: true,
      },
      {
        type: 'tool-result',
        toolCallId: 'srvtoolu_1',
        toolName: 'web_search',
        output: { type: 'json', value: [PAGE] },
      },
    ]);
    for (const model of ALL_MODELS.filter((name) => name !== 'anthropic' && name !== 'opus')) {
      expect(contentOf(model, CALL, RESULT)).toEqual([
        {
          type: 'text',
          text: '[find, which the provider of the model ran, gave: [{"type":"web_search_result","url":"https://a.test/","title":"A","pageAge":null}]]',
        },
      ]);
    }
  });

  it.for<[string, AssistantPart[]]>([
    ['a call without its result', [CALL]],
    ['a result before its call', [RESULT, CALL]],
    ['a result that was cut', [CALL, { ...RESULT, cut: true }]],
    [
      'an id that is none of Anthropic',
      [
        { ...CALL, providerId: 'w' },
        { ...RESULT, providerId: 'w' },
      ],
    ],
    ['a result that its package does not write', [CALL, { ...RESULT, result: { odd: 1 } }]],
  ])('[RP6] %s is no part of a request', ([, parts]) => {
    const content = contentOf('anthropic', ...parts, { type: 'text', text: 'So.' });
    expect(content).not.toContainEqual(expect.objectContaining({ type: 'tool-call' }));
    expect(content).not.toContainEqual(expect.objectContaining({ type: 'tool-result' }));
    expect(content.at(-1)).toEqual({ type: 'text', text: 'So.' });
  });

  it('[RP6] goes back whole under each id and of each tool that its provider takes, and is words for all others', () => {
    const long = 'x'.repeat(2_001);
    const mcp = { anthropic: { type: 'mcp-tool-use', serverName: 's' } };
    const page = { url: 'u', encryptedContent: long };
    const odd: readonly Json[] = [{ ...page, url: 1 }, { url: 'u' }, 'p'];
    const ofType = (type: string) => ({ type, long });
    const search = (type: string) => ({ action: { type }, long });
    type Ran = Pick<ProviderResultPart, 'by' | 'result' | 'isError'> & Pick<ProviderCallPart, 'providerMetadata'>;
    /** What was run, and the name under which it goes back. */
    const ofAnthropic: readonly (readonly [ran: Ran, name?: string])[] = [
      ...[[page, page], [], [PAGE]].map((result) => [{ by: SEARCHED, result }, 'web_search'] as const),
      ...odd.map((bad) => [{ by: SEARCHED, result: [page, bad] }] as const),
      [{ by: 'anthropic.web_search', result: [page] }, 'web_search'],
      [{ by: SEARCHED, result: { page } }],
      [{ by: SEARCHED, result: ofType('error'), isError: true }, 'web_search'],
      [{ by: SEARCHED, result: [page], isError: true }],
      [{ by: 'anthropic.web_fetch_20250910', result: ofType('web_fetch_result') }, 'web_fetch'],
      [{ by: 'anthropic.web_fetch_20250910', result: ofType('web_fetch_result_2') }],
      [{ by: 'anthropic.web_fetch_20250910', result: ofType('code_execution_result') }],
      ...['', 'encrypted_', 'bash_', 'text_editor_'].map(
        (kind) => [{ by: RUN, result: ofType(`${kind}code_execution_result`) }, 'code_execution'] as const,
      ),
      ...['odd_code_execution', 'web_fetch_result'].map((type) => [{ by: RUN, result: ofType(type) }] as const),
      ...[long, [long], ofType('any'), null].flatMap((result) => [
        [{ by: 'mcp', result, providerMetadata: mcp }, 'find'] as const,
        [{ by: 'mcp', result, providerMetadata: mcp, isError: true }, 'find'] as const,
        [{ by: 'mcp', result }] as const,
        [{ by: 'mcp', result, providerMetadata: { anthropic: { ...mcp.anthropic, serverName: 1 } } }] as const,
        [{ by: 'mcp', result, providerMetadata: { anthropic: { ...mcp.anthropic, type: 'odd' } } }] as const,
        [{ by: 'mcp', result, providerMetadata: { openai: mcp.anthropic } }] as const,
        ...['anthropic.odd', 'anthropic.constructor', 'openai.web_search', `x${SEARCHED}`].map(
          (by) => [{ by, result }] as const,
        ),
      ]),
    ];
    const ofOpenAi: typeof ofAnthropic = [
      ...['openai.web_search', 'openai.web_search_preview', 'azure.web_search', 'azure.web_search_preview'].flatMap(
        (by) => [
          ...['search', 'openPage', 'findInPage'].map(
            (type) => [{ by, result: search(type) }, by.slice(by.indexOf('.') + 1)] as const,
          ),
          [{ by, result: search('odd') }] as const,
          [{ by, result: { long } }] as const,
          [{ by, result: [search('search')] }] as const,
          [{ by, result: search('search'), isError: true }] as const,
        ],
      ),
      ...['openai.code_interpreter', SEARCHED, 'openai.web_search_2', 'xopenai.web_search'].map(
        (by) => [{ by, result: search('search') }] as const,
      ),
      [{ by: 'mcp', result: search('search'), providerMetadata: mcp }],
    ];
    const letters = 'aZ0_'.repeat(32);
    type Family = Readonly<Record<'takes' | 'others', readonly string[]>> & {
      readonly models: readonly ModelName[];
      readonly rows: typeof ofAnthropic;
    };
    const families: readonly Family[] = [
      {
        models: ['anthropic', 'opus'],
        rows: ofAnthropic,
        takes: ['srvtoolu_1', 'mcptoolu_1', `srvtoolu_${letters}`, `mcptoolu_${letters}`],
        others: ['toolu_1', 'srvtoolu_', 'mcptoolu_', `mcptoolu_${letters}1`, `srvtoolu_${letters}1`, ' srvtoolu_1'],
      },
      {
        models: ['responses'],
        rows: ofOpenAi,
        takes: ['ws_1', 'ws_a-b', `ws_${letters.slice(3)}`],
        others: ['ws_', 'ci_1', `ws_${letters.slice(2)}`, 'ws_a b', 'xws_1'],
      },
    ];
    // An id and what was run are looked at each by itself.
    for (const { models, rows, takes, others } of families)
      for (const [n, [{ by, result, isError, providerMetadata }, name]] of rows.entries())
        for (const providerId of n === 0 ? [...takes, ...others, '', 'ws_1\n', 'mcptoolu_a-b'] : takes.slice(0, 2)) {
          const ran = { by, providerId, toolName: 'find' };
          const more = providerMetadata ? { providerMetadata } : {};
          const call: ProviderCallPart = { type: 'provider-call', ...ran, input: { long }, ...more };
          const ended: ProviderResultPart = {
            type: 'provider-result',
            ...ran,
            result,
            ...(isError ? { isError } : {}),
          };
          const options = providerMetadata ? { providerOptions: providerMetadata } : {};
          const facts = { toolCallId: providerId, toolName: name };
          const whole = [
            { type: 'tool-call', ...facts, input: { long }, providerExecuted: true, ...options },
            { type: 'tool-result', ...facts, output: { type: isError ? 'error-json' : 'json', value: result } },
          ];
          const words = `[find, which the provider of the model ran, ${isError ? 'failed' : 'gave'}: `;
          for (const model of ['anthropic', 'opus', 'responses', 'chat'] as const) {
            const isTaken = name !== undefined && takes.includes(providerId) && models.includes(model);
            const content = contentOf(model, call, ended);
            const what = JSON.stringify([model, ran, isError, result]).slice(0, 200);
            expect(content, what).toEqual(isTaken ? whole : [{ type: 'text', text: expect.stringContaining(words) }]);
          }
        }
  });

  it('[RP6] of OpenAI but a search is text, so that a thought does not stand alone', () => {
    const ran = { by: 'openai.code_interpreter', providerId: 'ci_1', toolName: 'run' };
    const thought: AssistantPart = {
      type: 'reasoning',
      text: '',
      providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2Vh' } },
    };
    const parts: AssistantPart[] = [
      thought,
      { type: 'provider-call', ...ran, input: { code: '1' } },
      { type: 'provider-result', ...ran, result: { outputs: [{ type: 'logs', logs: '1' }] } },
    ];
    expect(contentOf('responses', ...parts)).toMatchObject([{ type: 'reasoning' }, { type: 'text' }]);
  });

  it('[RP6] twice under one id is sent once', () => {
    const prompt = promptOf([user(), reply(CALL, RESULT, 'One.'), user(), reply(CALL, RESULT, 'Two.')], 'anthropic');
    const kinds = prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? [content.map(({ type }) => type)] : [],
    );
    expect(kinds).toEqual([['tool-call', 'tool-result', 'text'], ['text']]);
  });

  it('[RP12] citations stay with the pages that are sent, and no source is sent', () => {
    const kept = contentOf('anthropic', CALL, RESULT, citing('https://a.test/'), SOURCE);
    expect(kept).toHaveLength(3);
    expect(kept[2]).toMatchObject({ providerOptions: { anthropic: { citations: [{}, { type: 'char_location' }] } } });
    const [gone] = contentOf('anthropic', citing('https://a.test/'), SOURCE);
    expect(gone).toMatchObject({ providerOptions: { anthropic: { citations: [{ type: 'char_location' }] } } });
    for (const model of ALL_MODELS)
      expect(JSON.stringify(contentOf(model, SOURCE, citing('x')))).not.toContain('secret');
  });

  it('[RP8] a line replaces each file, and a note says so', () => {
    for (const model of ALL_MODELS)
      expect(contentOf(model, FILE)).toEqual([
        { type: 'text', text: '[The file generated/x.png (image/png) was made here.]' },
      ]);
  });
});

const OLD_FINISH = { ...FINISH, finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } };

describe('models of older versions', () => {
  it.for(['v2', 'v3'] as const)(
    '[M2, RP8, RP9] %s get tools of providers and files in their words',
    async (version) => {
      const asked: { tools?: unknown; prompt: readonly { role: string; content: unknown }[] }[] = [];
      const { model } = fakeModel([]);
      const old = {
        ...model,
        specificationVersion: version,
        provider: 'google.generative-ai',
        doStream: async (options: (typeof asked)[number]) => {
          asked.push(options);
          return { stream: anyStream([...textParts('Hi.'), version === 'v2' ? OLD_FINISH : FINISH]) };
        },
      } as unknown as LanguageModelV2 | LanguageModelV3;
      const messages: Message[] = [user(), reply(FILE), user()];
      const request = { messages, providerTools: [{ name: 'find', id: 'google.google_search', args: {} }] };
      const port = modelPort(old);
      const readFile = async () => Buffer.from(png(), 'base64');
      const { reply: said } = await ask(
        { call: (given, options) => port.call(given, { ...options, readFile }) },
        request,
      );
      expect(said?.content).toMatchObject([{ text: 'Hi.' }]);
      expect(asked[0]?.tools).toEqual([
        {
          type: version === 'v2' ? 'provider-defined' : 'provider',
          id: 'google.google_search',
          name: 'find',
          args: {},
        },
      ]);
      const sent = asked[0]?.prompt.find(({ role }) => role === 'assistant');
      expect(sent?.content).toEqual([{ type: 'file', mediaType: 'image/png', data: png() }]);
    },
  );
});

describe('further parts in what a model is sent of older messages', () => {
  const said = reply(CALL, RESULT, SOURCE, FILE, 'Found.');

  it('[CX6] a digest has what was run and made', () => {
    const digest = digestOf('', [said], 4_096);
    expect(digest).toContain('- Had find run by its provider, which gave: [{');
    expect(digest).toContain('- Made a file: generated/x.png');
    expect(digest).not.toContain('secret');
  });

  it('[CX9] count as large as they are, and a result that is cut is text', () => {
    expect(messageBytes(said)).toBeGreaterThan(JSON.stringify(PAGE).length);
    expect(messageBytes(reply(SOURCE))).toBe(messageBytes(reply()));
    const long = { ...RESULT, result: [{ ...PAGE, title: 'x'.repeat(5_000) }] };
    const cut = cutMessage(reply(CALL, long), 300);
    expect(cut).toMatchObject({ content: [{}, { cut: true }] });
    expect(JSON.stringify(cut).length).toBeLessThan(1_500);
  });

  it('[SA78] without past tools a model sees none that a provider ran', () => {
    const rules = { includeChat: true, includePastTools: false, recentImageThreshold: 10 };
    const seen = seenBy(rules, [user(), said, user()], 2);
    expect(seen[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Found.' }] });
  });
});

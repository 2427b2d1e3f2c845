import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/protocol/messages';
import { TRANSCRIPT } from '../ask';
import { ALL_MODELS, call, idsOf, type ModelName, promptOf, reply, result, taken, textsOf, user } from './asked';

const BLANKS = ['', ' ', '\n', '\n\n', '\t \r\n', '\u00a0', '\u3000', '\ufeff', '\u0085', '\u001c', '\u2028'];
const HALF = 'a\ud83d';
const MENDED = 'a\ufffd';

/** What each model is sent in a message of the user. */
const userTexts = (message: Message, model: ModelName): string[] => textsOf(promptOf([message], model));

describe.each(ALL_MODELS)('a request to %s', (model) => {
  it.each(BLANKS)('[M62] has no blank text: %j', (blank) => {
    const messages = [
      { role: 'system', content: blank } as const,
      user(blank),
      reply(blank),
      user([
        { type: 'text', text: blank },
        { type: 'text', text: 'Look.' },
      ]),
      { role: 'system', content: blank } as const,
      reply({ type: 'reasoning', text: 'Hm.' }, blank, call('c_1')),
      result('c_1'),
    ];
    for (const text of textsOf(promptOf(messages, model, { system: blank }))) expect(text.trim()).not.toBe('');
    expect(userTexts(user(blank), model)).toEqual(['[This message is blank.]']);
    expect(userTexts(user([]), model)).toEqual(['[This message is blank.]']);
    const silent = promptOf([user(), reply(call('c_1')), result('c_1', blank)], model);
    expect(JSON.stringify(silent)).toContain('[It says nothing.]');
  });

  it('[M63] has no half of a character anywhere', () => {
    const failure = { code: 'tool_failed', category: 'tool', retryable: false, message: HALF } as const;
    const messages: Message[] = [
      { role: 'system', content: HALF },
      user(HALF),
      user([{ type: 'text', text: HALF }]),
      reply(
        HALF,
        call('c_1', { providerId: HALF, toolName: HALF, input: { [HALF]: [HALF], [MENDED]: 1 } }),
        call('c_2', { input: HALF }),
        call('c_3'),
      ),
      result('c_1', HALF),
      result('c_2', { success: true, value: { [HALF]: { deep: [HALF] } } }),
      result('c_3', { success: false, error: failure }),
      { role: 'system', content: HALF },
    ];
    const tools = [{ name: 'search', description: HALF, inputSchema: { description: HALF } }];
    const request = taken(messages, model, { system: HALF, tools });
    const said = JSON.stringify([request.prompt, request.tools]);
    expect(said).not.toMatch(/\\ud[89a-f]/i);
    expect(said).toContain(MENDED);
    // Two keys that become one are both there.
    expect(said).toContain(`"${MENDED}_":["${MENDED}"]`);
    expect(said).toContain(`"${MENDED}":1`);
  });

  it('[M65] has arguments that are an object', () => {
    for (const input of ['text', '{"a":', '', null, 1, true, [1, { a: 2 }]]) {
      const [, said] = promptOf([user(), reply(call('c_1', { input })), result('c_1')], model).filter(
        ({ role }) => role !== 'system',
      );
      const part = said?.role === 'assistant' ? said.content.find(({ type }) => type === 'tool-call') : undefined;
      expect(part).toMatchObject({ input: input === null ? {} : { input } });
    }
  });

  it('[M64] writes each name in letters that are taken, the same name the same way, and no two alike', () => {
    const names = [
      'look',
      'do it!',
      'do it?',
      'do_it_',
      'ü',
      '',
      'x'.repeat(65),
      `${'x'.repeat(64)}y`,
      'x'.repeat(300),
    ];
    const written = new Map<string, string>();
    for (const toolName of [...names, ...names]) {
      const prompt = promptOf([user(), reply(call('c_1', { toolName })), result('c_1', 'Seen.', toolName)], model);
      const both = prompt.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.flatMap((part) => ('toolName' in part ? [part.toolName] : [])),
      );
      expect(both[0]).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
      expect(both[1]).toBe(both[0]);
      expect(written.get(toolName) ?? both[0]).toBe(both[0]);
      written.set(toolName, both[0] ?? '');
    }
    expect(new Set(written.values()).size).toBe(names.length);
    expect(written.get('look')).toBe('look');
  });

  it('[M68] has one result behind each call, and each result behind its call', () => {
    const messages = [
      user(),
      result('c_0', 'Alone.'),
      result('c_9', { success: true, value: { found: 'Apart.' } }),
      reply('So.', call('c_1'), call('c_2'), call('c_3')),
      user('Between.'),
      result('c_3', 'Three.'),
      result('c_1', 'One.'),
      result('c_1', 'Twice.'),
      reply(call('c_1')),
    ];
    const prompt = promptOf(messages, model);
    for (const [at, message] of prompt.entries()) {
      const calls = message.role === 'assistant' ? idsOf([message]) : [];
      const behind = prompt[at + 1];
      const results = behind?.role === 'tool' ? idsOf([behind]) : [];
      if (message.role !== 'tool') expect(results).toEqual(calls);
    }
    const said = JSON.stringify(prompt);
    for (const text of ['Alone.', 'Apart.', 'One.', 'Twice.', 'Three.', 'The result of this call is not known.'])
      expect(said).toContain(text);
    expect(new Set(idsOf(prompt)).size).toBe(4);
  });

  it('[M72] is made without a change of what was given, and the same way each time', () => {
    const before = structuredClone(TRANSCRIPT);
    const once = promptOf(TRANSCRIPT, model);
    expect(TRANSCRIPT).toEqual(before);
    expect(promptOf(structuredClone(TRANSCRIPT), model)).toEqual(once);
    expect(promptOf(TRANSCRIPT, model)).toEqual(once);
  });

  it('[DF23] has of each tool what it says of itself, and no field that it has not', () => {
    const plain = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } } as const;
    const facts = [{ strict: true }, { inputExamples: [{ input: { q: 'x' } }] }, { providerOptions: { a: { b: 1 } } }];
    const tools = [{}, ...facts, Object.assign({}, ...facts)].map((more) => ({ ...plain, ...more }));
    expect(taken([user()], model, { tools }).tools).toEqual(tools.map((tool) => ({ type: 'function', ...tool })));
  });

  it('[M73] has as many tools as it may, and says which it has not', () => {
    const tools = Array.from({ length: 130 }, (_, n) => ({ name: `t_${n}`, description: '', inputSchema: {} }));
    const request = taken([user()], model, { system: 'Help.', tools });
    if (model === 'anthropic' || model === 'opus') {
      expect(request.tools).toHaveLength(130);
      expect(request.notes).toEqual([]);
      return;
    }
    expect(request.tools).toHaveLength(128);
    const [system] = request.prompt;
    expect(system).toMatchObject({ role: 'system' });
    expect(textsOf(request.prompt).join()).toMatch(/accepts at most 128 tools.*: t_128, t_129/);
    expect(request.notes.map(({ text }) => text).join()).toContain('t_128, t_129');
  });
});

describe('a transcript as a prompt', () => {
  it('[M11][M12] keeps the order, groups the results of a step and gives repeated ids a number', () => {
    const prompt = promptOf(TRANSCRIPT, 'chat', { system: 'You answer.' });
    expect(prompt).toMatchObject([
      { role: 'system', content: 'You answer.' },
      { role: 'user', content: [{ type: 'text', text: 'Find both.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'call_a', toolName: 'search', input: { q: 'one' } },
          { type: 'tool-call', toolCallId: 'call_b', toolName: 'search', input: { q: 'two' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'call_a', output: { type: 'json', value: { hits: ['first'] } } },
          {
            type: 'tool-result',
            toolCallId: 'call_b',
            output: { type: 'error-json', value: { success: false, error: 'No index.', code: 'tool_failed' } },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_a_2', input: { q: 'one' } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'call_a_2', output: { type: 'text', value: 'plain text' } }],
      },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ]);
  });

  it('[M12] takes the smallest free number, also where a provider has used it itself', () => {
    const calls = ['x', 'x_2', 'x', 'x', 'x_2'].map((providerId, n) => call(`c_${n}`, { providerId }));
    expect(idsOf(promptOf([user(), reply(...calls)])).slice(0, 5)).toEqual(['x', 'x_2', 'x_3', 'x_4', 'x_2_2']);
  });

  it.each(ALL_MODELS)('[M12][M72] never renames for %s what a shorter transcript named', (model) => {
    const all = [...Array(6).keys()].flatMap((n) => [
      reply(call(`c_${n}`, { providerId: n % 2 === 0 ? 'x' : 'x_2' })),
      result(`c_${n}`),
    ]);
    const whole = idsOf(promptOf([user(), ...all], model));
    for (let length = 0; length <= all.length; length += 2)
      expect(idsOf(promptOf([user(), ...all.slice(0, length)], model))).toEqual(whole.slice(0, length));
    expect(new Set(whole).size).toBe(all.length / 2);
  });

  const ODD = ['functions.search:0', 'functions_search_0', 'y'.repeat(90), '', 'a b', 'aB3xK9mP2', 'ü'];
  it.each([
    ['anthropic', /^[A-Za-z0-9_-]{1,64}$/],
    ['responses', /^[A-Za-z0-9_-]{1,64}$/],
    ['chat', /^[A-Za-z0-9_-]{1,40}$/],
    ['compatible', /^[A-Za-z0-9]{9}$/],
    ['mistral', /^[A-Za-z0-9]{9}$/],
    ['unknown', /^[A-Za-z0-9]{9}$/],
    ['workersAi', /^.{1,256}$/],
  ] as const)('[M12] writes ids as %s takes them', (model, form) => {
    const calls = ODD.map((providerId, n) => call(`c_${n}`, { providerId }));
    const ids = idsOf(promptOf([user(), reply(...calls)], model)).slice(0, ODD.length);
    for (const id of ids) expect(id).toMatch(form);
    expect(new Set(ids).size).toBe(ODD.length);
    // One that is taken stays as it was.
    expect(ids).toContain('aB3xK9mP2');
  });

  it('[M12] takes off what Workers AI adds to an id, and keeps such ids apart', () => {
    const mark = '::cf-wai-tool-call::';
    const calls = ['a', 'b'].map((own, n) => call(`c_${n}`, { providerId: `call_0${mark}${own}` }));
    expect(idsOf(promptOf([user(), reply(...calls)], 'workersAi')).slice(0, 2)).toEqual(['call_0', 'call_0_2']);
  });

  it.each([
    ['chat', 128],
    ['compatible', 128],
    ['unknown', 128],
  ] as const)('[M68] writes more calls for %s than one reply may have as further ones', (model, most) => {
    const calls = Array.from({ length: most + 2 }, (_, n) => call(`c_${n}`));
    const prompt = promptOf([user(), reply(...calls), ...calls.map(({ toolCallId }) => result(toolCallId))], model);
    expect(prompt.map((message) => idsOf([message]).length)).toEqual([0, most, most, 2, 2]);
  });

  it('[M68] writes words and calls apart where a model takes no reply with both', () => {
    const messages = [user(), reply('Looking.', call('c_1'), 'Wait.'), result('c_1')];
    expect(promptOf(messages, 'mistral').map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('[M8] gives providers their metadata back, on a call also with its result', () => {
    const providerMetadata = { fake: { sealed: 'x' }, odd: 1 };
    const messages = [
      user(),
      reply(
        { type: 'reasoning', text: 'Hm.', providerMetadata },
        { type: 'text', text: 'So.', providerMetadata },
        call('c_1', { providerMetadata }),
      ),
      result('c_1'),
    ];
    const providerOptions = { fake: { sealed: 'x' } };
    expect(promptOf(messages, 'unknown')).toMatchObject([
      {},
      {
        content: [
          { type: 'reasoning', providerOptions },
          { type: 'text', providerOptions },
          { type: 'tool-call', providerOptions },
        ],
      },
      { content: [{ type: 'tool-result', providerOptions }] },
    ]);
    expect(JSON.stringify(promptOf(messages, 'anthropic'))).not.toContain('sealed');
  });
});

describe('a thought', () => {
  const SEALED = {
    anthropic: { anthropic: { signature: 'c2ln' } },
    openai: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2Vh' } },
    none: undefined,
  };
  const TAKEN: Record<ModelName, readonly (keyof typeof SEALED)[]> = {
    anthropic: ['anthropic'],
    opus: ['anthropic'],
    responses: ['openai'],
    chat: ['openai'],
    compatible: ['none'],
    mistral: [],
    deepseek: ['none'],
    workersAi: ['none'],
    kimi: ['none'],
    groq: [],
    qwen: ['none'],
    gemini: ['none'],
    geminiCompatible: ['none'],
    unknown: ['none'],
  };
  const thoughts = (model: ModelName, providerMetadata: (typeof SEALED)[keyof typeof SEALED], text = 'Hm.'): string[] =>
    promptOf(
      [user(), reply({ type: 'reasoning', text, ...(providerMetadata ? { providerMetadata } : {}) }, 'So.')],
      model,
    ).flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])),
    );

  it.each(ALL_MODELS)('[M66] goes back to %s only where that has sealed it, or nobody has', (model) => {
    for (const by of ['anthropic', 'openai', 'none'] as const)
      expect([by, thoughts(model, SEALED[by])]).toEqual([by, TAKEN[model].includes(by) ? ['Hm.'] : []]);
  });

  it('[M66] goes back unchanged, or not at all', () => {
    expect(thoughts('anthropic', SEALED.anthropic, HALF)).toEqual([]);
    expect(thoughts('anthropic', { anthropic: { signature: '' } })).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: a seal that no provider gives
    expect(thoughts('anthropic', { anthropic: { signature: 5 } } as any)).toEqual([]);
  });

  it('[M62] is left out where nothing follows it, and so is a reply of thoughts alone', () => {
    const thought = { type: 'reasoning', text: 'Hm.', providerMetadata: SEALED.anthropic } as const;
    const prompt = promptOf([user(), reply(thought), reply('So.', thought), user()], 'anthropic');
    expect(JSON.stringify(prompt)).not.toContain('Hm.');
    expect(textsOf(prompt)).toEqual(['Look.', 'So.', 'Look.']);
  });

  it('[M66] of an item of OpenAI goes back once', () => {
    const thought = { type: 'reasoning', text: 'Hm.', providerMetadata: SEALED.openai } as const;
    const prompt = promptOf([user(), reply(thought, thought, 'So.'), user(), reply(thought, 'Yes.')], 'responses');
    expect(JSON.stringify(prompt).split('"Hm."')).toHaveLength(3);
  });
});

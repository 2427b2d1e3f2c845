import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/protocol/messages';
import { ALL_MODELS, call, type ModelName, promptOf, reply, result, rolesOf, textsOf, user } from './asked';

const system = (content = 'Be short.'): Message => ({ role: 'system', content });
const MARKED = '[Message of the system, not of the user:]\nBe short.';

/** Those that take a message of the role `system` anywhere. */
const FREE: readonly ModelName[] = ['responses', 'chat'];
/** Those in whose prompts users and replies alternate. */
const FREE_ORDER: readonly ModelName[] = ['anthropic', 'opus', 'responses', 'chat'];
const ALTERNATE: readonly ModelName[] = ALL_MODELS.filter((model) => !FREE_ORDER.includes(model));

describe('a message of the role system', () => {
  it.each(ALL_MODELS)('[M69] after a first turn is no dead end with %s', (model) => {
    const prompt = promptOf([user('Hi.'), reply('Yes?'), system()], model, { system: 'Help.' });
    if (FREE.includes(model)) expect(prompt.at(-1)).toEqual({ role: 'system', content: 'Be short.' });
    else expect(prompt.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: MARKED }] });
    expect(rolesOf(prompt).slice(1).includes('system')).toBe(FREE.includes(model));
  });

  it('[M69] stays for a newer Opus between the user and a reply, or last', () => {
    const said = [user('Hi.'), system(), reply('Yes?'), user('Go.'), system()];
    expect(rolesOf(promptOf(said, 'opus', { system: 'Help.' }))).toEqual([
      'system',
      'user',
      'system',
      'assistant',
      'user',
      'system',
    ]);
    const followed = promptOf([...said, user('Well?')], 'opus', { system: 'Help.' });
    expect(rolesOf(followed).slice(-3)).toEqual(['user', 'user', 'user']);
    expect(textsOf(followed)).toContain(MARKED);
    const twice = promptOf([user('Hi.'), system(), system(), reply('Yes?')], 'opus', { system: 'Help.' });
    expect(rolesOf(twice)).toEqual(['system', 'user', 'user', 'system', 'assistant', 'user']);
    const afterReply = promptOf([user('Hi.'), reply('Yes?'), system(), reply('No.')], 'opus', { system: 'Help.' });
    expect(rolesOf(afterReply).slice(1)).not.toContain('system');
  });

  const BEFORE = {
    'the user': [user('Hi.')],
    results: [user('Hi.'), reply(call('c_1'), call('c_2')), result('c_1'), result('c_2')],
    'a reply': [user('Hi.'), reply('Yes?')],
  };
  const AFTER = { nothing: [], 'a reply': [reply('So.')], 'the user': [user('Well?')] };

  it('[M69] stays for a newer Opus behind the user or results, where a reply or nothing follows, and nowhere else', () => {
    const stays: string[] = [];
    for (const [before, first] of Object.entries(BEFORE))
      for (const [after, then] of Object.entries(AFTER)) {
        const prompt = promptOf([...first, system(), ...then], 'opus', { system: 'Help.' });
        const own = prompt.slice(1).filter(({ content }) => JSON.stringify(content).includes('Be short.'));
        expect(own).toHaveLength(1);
        if (own[0]?.role === 'system') stays.push(`${before}, ${after}`);
      }
    expect(stays).toEqual(['the user, nothing', 'the user, a reply', 'results, nothing', 'results, a reply']);
  });

  it.each(['', ' \n'])('[M69] is of the user for a newer Opus without a system prompt (%j)', (prompt) => {
    const said = [user('Hi.'), system(), reply('Yes?'), user('Go.'), system()];
    expect(rolesOf(promptOf(said, 'opus', { system: prompt }))).toEqual(['user', 'user', 'assistant', 'user', 'user']);
  });

  it.each([
    ['claude-opus-4-8', 'opus'],
    ['claude-opus-4-10', 'opus'],
    ['claude-opus-5', 'opus'],
    ['claude-opus-4-7', 'none'],
    ['claude-opus-4-20250514', 'none'],
    ['claude-sonnet-4-8', 'none'],
    ['claude-haiku-4-5', 'none'],
  ])('[M69] of %s is taken as it is known to be', async (modelId, as) => {
    const { profileOf } = await import('../../../../src/model/request/profiles');
    expect(profileOf('anthropic.messages', modelId).laterSystem).toBe(as === 'opus' ? 'before-reply' : 'user');
  });

  it.each(ALL_MODELS)('[M69] before all others joins the system prompt of %s', (model) => {
    const prompt = promptOf([system('A child is done.'), user('Hi.')], model, { system: 'Help.' });
    if (ALTERNATE.includes(model)) expect(prompt[0]).toEqual({ role: 'system', content: 'Help.\n\nA child is done.' });
    else expect(rolesOf(prompt)).toEqual(['system', 'system', 'user']);
  });
});

describe.each(ALL_MODELS)('the order of a prompt for %s', (model) => {
  const HISTORIES: Record<string, readonly Message[]> = {
    nothing: [],
    'a system message alone': [system()],
    'a reply first': [reply('Hi.'), user()],
    'a call first': [reply(call('c_1')), result('c_1')],
    'two replies': [user(), reply('Hi.'), reply('Ho.'), user()],
    'a reply last': [user(), reply('Hi. ')],
    'two messages of the user': [user('One.'), user('Two.'), reply('Yes.')],
    'a message after a result': [user(), reply(call('c_1')), result('c_1'), user('Well?'), user('Now!')],
    'a blank reply between': [user('One.'), reply('\n\n'), user('Two.')],
  };

  it.each(Object.keys(HISTORIES))('[M70] begins with the user and does not end with a reply: %s', (name) => {
    const roles = rolesOf(promptOf(HISTORIES[name] ?? [], model, { system: 'Help.' }));
    const spoken = roles.filter((role) => role !== 'system');
    expect(spoken[0]).toBe('user');
    expect(['user', 'tool']).toContain(spoken.at(-1));
    for (const [at, role] of spoken.entries()) {
      const before = spoken[at - 1];
      if (role === 'assistant') expect(before).not.toBe('assistant');
      if (role === 'user' && ALTERNATE.includes(model)) expect([undefined, 'assistant']).toContain(before);
    }
  });

  it('[M70] has each message, joined where two may not follow each other', () => {
    const prompt = promptOf(HISTORIES['a message after a result'] ?? [], model);
    const texts = textsOf(prompt);
    if (ALTERNATE.includes(model)) expect(texts).toEqual(['Look.', '[Noted.]', 'Well?\n\nNow!']);
    else expect(texts).toEqual(['Look.', 'Well?', 'Now!']);
  });

  it('[M72] of a longer history begins with that of a shorter one', () => {
    const history: Message[] = [];
    for (let n = 0; n < 6; n++)
      history.push(
        user(`Do ${n}.`),
        reply('Looking.', call(`c_${n}`, { providerId: 'call_0', toolName: 'look up' })),
        result(`c_${n}`),
        reply(`Done ${n}.`),
      );
    history.splice(8, 0, system(), user('Two at once.'));
    const whole = promptOf(history, model, { system: 'Help.' });
    for (let length = 1; length < history.length; length++) {
      // A request is made behind the user and behind results.
      if (history[length - 1]?.role === 'assistant') continue;
      const shorter = promptOf(history.slice(0, length), model, { system: 'Help.' });
      expect(whole.slice(0, shorter.length - 1)).toEqual(shorter.slice(0, -1));
      expect(JSON.stringify(whole[shorter.length - 1])).toContain(JSON.stringify(shorter.at(-1)).slice(0, -5));
    }
  });
});

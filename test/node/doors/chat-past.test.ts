/** Messages of a chat from the transcript of its agent (CH3): which of them there are, and each part of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pastAnswers } from '../../../src/doors/chat/past';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { FINISH_TOOL } from '../../../src/protocol/messages';

const OPTIONS = { idOf: (turn: number) => `t.${turn}`, agent: { address: '/agents/a/b', agentType: 'a' }, filesAt: '' };
type Entries = Parameters<typeof pastAnswers>[0];
type Options = Parameters<typeof pastAnswers>[1];

const past = (entries: readonly JsonObject[], more: Partial<Options> = {}) =>
  pastAnswers(entries as unknown as Entries, { ...OPTIONS, ...more });

it('[CH3] a chat that is opened again has what its people said, and nothing that others or code put in beside it', () => {
  const said = (content: string, facts: object = {}) => ({
    ...{ role: 'user', from: 'caller', messageId: `m ${content}`, turn: 1, at: 0, content },
    ...facts,
  });
  const entries = [
    said('How?'),
    said('kept back', { silent: true }),
    { role: 'assistant', turn: 1, at: 0, content: [{ type: 'text', text: 'So.' }] },
    said('by its parent', { from: 'parent' }),
    said('by code', { from: 'agent' }),
    said('by the library', { from: 'offshoot' }),
    said('And then?', { turn: 2 }),
  ];
  const shown = past(entries).map(({ role, parts }) => [role, parts.map((part) => part.text ?? part.type)]);
  expect(shown).toEqual([
    ['user', ['How?']],
    ['assistant', ['step-start', 'So.']],
    ['user', ['And then?']],
  ]);
});

const person = (messageId: string, more: JsonObject = {}): JsonObject => ({
  ...{ role: 'user', from: 'caller', messageId, content: messageId, at: 0 },
  ...more,
});
const reply = (turn: number, ...content: JsonObject[]): JsonObject => ({ role: 'assistant', turn, at: 0, content });
const text = (said: string) => ({ type: 'text', text: said });
const step = { type: 'step-start' };

describe('the messages of a chat', () => {
  it('[CH3] are answers, whatever runs they took, and between them what people said; within one what was said to it', () => {
    const kinds = fc.constantFrom('person', 'reply', 'reply', 'reply of the next run', 'next answer', 'others');
    fc.assert(
      fc.property(fc.array(kinds, { maxLength: 12 }), (given) => {
        let [turn, answer] = [1, 1];
        const answers = new Map([[1, 1]]);
        const entries = given.map((kind, at): JsonObject => {
          if (kind === 'person') return person(`m_${at}`);
          if (kind === 'others') return person(`m_${at}`, at % 2 === 0 ? { silent: true } : { from: 'parent' });
          if (kind !== 'reply') turn++;
          if (kind === 'next answer') answer++;
          answers.set(turn, answer);
          return reply(turn, text(`r_${at}`));
        });
        const idOf = (of: number) => `a_${answers.get(of)}`;
        // By what is before and behind it, each by itself.
        const idAt = (entry: JsonObject | undefined) => (entry ? idOf(Number(entry.turn)) : undefined);
        const isReply = ({ role }: JsonObject) => role === 'assistant';
        const within = (at: number): string | undefined => {
          const before = idAt(entries.slice(0, at).findLast(isReply));
          return before !== undefined && before === idAt(entries.slice(at).find(isReply)) ? before : undefined;
        };
        const expected = new Map<string, unknown[]>();
        for (const [at, entry] of entries.entries()) {
          const parts = [text(`m_${at}`)];
          const add = (id: string, ...more: unknown[]) => expected.set(id, [...(expected.get(id) ?? []), ...more]);
          const into = within(at);
          if (isReply(entry)) add(idOf(Number(entry.turn)), step, { ...text(`r_${at}`), state: 'done' });
          else if (given[at] === 'others') continue;
          else if (into === undefined) add(`m_${at}`, ...parts);
          else add(into, { type: 'steering-message', id: `m_${at}`, parts });
        }
        // What is said to an answer at work is shown before the step that reads it.
        expect(past(entries, { idOf }).map(({ id, parts }) => [id, parts])).toEqual([...expected]);
      }),
      { numRuns: 200 },
    );
  });

  it('[CH3] are taken from the log where that has them whole, and the last one is added where it says something', () => {
    const made = (id: string, ...said: string[]) => ({
      id,
      role: 'assistant' as const,
      parts: said.map((one) => text(one)),
    });
    const entries = [reply(1, text('a')), person('m'), reply(2, text('b'))];
    const ids = (more: Partial<Options>) => past(entries, more).map(({ id, parts }) => `${id} ${parts.length}`);
    const whole = new Map([['t.2', made('t.2', 'x', 'y', 'z')]]);
    expect(ids({})).toEqual(['t.1 2', 'm 1', 't.2 2']);
    expect(ids({ whole })).toEqual(['t.1 2', 'm 1', 't.2 3']);
    expect(ids({ whole, current: made('t.3', 'x') })).toEqual(['t.1 2', 'm 1', 't.2 3', 't.3 1']);
    expect(ids({ whole, current: made('t.3') })).toEqual(['t.1 2', 'm 1', 't.2 3']);
    const current = made('t.2', 'x', 'y', 'z');
    expect(ids({ whole: new Map([['t.2', current]]), current })).toEqual(['t.1 2', 'm 1', 't.2 3']);
  });
});

describe('a message of a chat', () => {
  it('[CH3] of a person has the id and the metadata that its chat gave it, and its files', () => {
    const chat = { id: 'u', digest: 'd', metadata: { a: 1 } };
    const file = { type: 'file', mediaType: 'image/png' };
    const rows: readonly (readonly [JsonObject, JsonObject])[] = [
      [{}, {}],
      [{ role: 'system' }, { role: 'system' }],
      [{ metadata: { chat } }, { id: 'u', metadata: { a: 1 } }],
      [{ metadata: { chat: { ...chat, metadata: 'x' } } }, { id: 'u' }],
      // What is none of a chat's facts says nothing.
      [{ metadata: { chat: { id: 'u' }, agui: chat } }, {}],
      [{ content: '' }, { parts: [text('')] }],
      [{ content: [] }, { parts: [text('')] }],
      [{ content: [text('a'), text('b')] }, { parts: [text('a'), text('b')] }],
      [
        {
          content: [
            { ...file, data: 'AA==', filename: 'a.png' },
            { ...file, path: 'a b/c', size: 1 },
          ],
        },
        {
          parts: [
            { ...file, filename: 'a.png', url: 'data:image/png;base64,AA==' },
            { ...file, url: '/base/agents/a/b/files/a%20b%2Fc' },
          ],
        },
      ],
    ];
    for (const [given, expected] of rows)
      expect(past([person('m', given)], { filesAt: '/base' }), JSON.stringify(given)).toEqual([
        { id: 'm', role: 'user', parts: [text('m')], ...expected },
      ]);
  });

  it('[CH3, CH6] of an agent has each part of its replies, with the result of each call', () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input: { n: 1 } };
    const shown = { type: 'dynamic-tool', toolCallId: 'c', toolName: 'pay', input: { n: 1 }, providerExecuted: true };
    const tool = { ...shown, toolMetadata: OPTIONS.agent };
    const result = (given: Json) => ({ role: 'tool', toolCallId: 'c', at: 0, result: given });
    const failed = { ...tool, state: 'output-error' };
    const source = { type: 'source', id: '1' };
    const rows: readonly (readonly [JsonObject, JsonObject | undefined, JsonObject | undefined])[] = [
      [text('a'), undefined, { ...text('a'), state: 'done' }],
      [{ type: 'reasoning', text: 'b' }, undefined, { type: 'reasoning', text: 'b', state: 'done' }],
      [call, undefined, { ...tool, state: 'input-available' }],
      [call, { ...result({ success: true, value: 1 }), toolCallId: 'd' }, { ...tool, state: 'input-available' }],
      [call, result({ success: true, value: { a: 1 } }), { ...tool, state: 'output-available', output: { a: 1 } }],
      [call, result({ success: true }), { ...tool, state: 'output-available', output: null }],
      [call, result({ success: false, error: { title: 'No.' } }), { ...failed, errorText: 'No.' }],
      ...[{ success: false }, { success: false, error: { title: '' } }, {}, null, 'x'].map(
        (given) => [call, result(given), { ...failed, errorText: 'The tool failed.' }] as const,
      ),
      [{ ...call, toolName: FINISH_TOOL }, undefined, { type: 'data-output', id: 'output', data: { n: 1 } }],
      [{ ...source, sourceType: 'url', url: 'u' }, undefined, { type: 'source-url', sourceId: '1', url: 'u' }],
      [
        { ...source, sourceType: 'url', url: 'u', title: 't' },
        undefined,
        { type: 'source-url', sourceId: '1', url: 'u', title: 't' },
      ],
      ...(
        [
          [{ title: 't', filename: 'f' }, 't'],
          [{ filename: 'f' }, 'f'],
          [{}, '1'],
        ] as const
      ).map(
        ([named, title]) =>
          [
            { ...source, sourceType: 'document', mediaType: 'm', ...named },
            undefined,
            { type: 'source-document', sourceId: '1', mediaType: 'm', ...named, title },
          ] as const,
      ),
      [
        { type: 'reply-file', mediaType: 'm', path: 'p' },
        undefined,
        { type: 'file', mediaType: 'm', url: '/agents/a/b/files/p' },
      ],
      [
        { type: 'reply-file', mediaType: 'm', omitted: 'too_large' },
        undefined,
        { type: 'data-omitted-file', data: { mediaType: 'm', reason: 'too_large' } },
      ],
      [{ type: 'provider-call', toolName: 'web' }, undefined, undefined],
    ];
    for (const [part, settled, expected] of rows) {
      const entries = [reply(1, part), ...(settled ? [settled] : [])];
      const parts = [step, ...(expected ? [expected] : [])];
      expect(past(entries), JSON.stringify([part, settled])).toEqual([{ id: 't.1', role: 'assistant', parts }]);
    }
  });
});

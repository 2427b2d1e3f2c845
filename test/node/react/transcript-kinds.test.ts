/** Every kind of item of a transcript, from a log that has each once. */
import { expect, it } from 'vitest';
import type { ChunkBody, SequencedChunk } from '../../../src/protocol/chunks';
import type { Json } from '../../../src/protocol/json';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { itemsOf, olderOf, searchedOf, type TranscriptMessage, textOf } from '../../../src/react/transcript-items';
import { newLog } from '../../support/log';
import { present } from '../../support/present';

/** A message that a step reads. */
const told = (messageId: string, from: string, step: number, more: object = {}) =>
  ({ type: 'message_delivered', messageId, from, role: 'user', text: `${from} said`, step, ...more }) as ChunkBody;

/** A run with a step of every block, one that is cut off, recoveries at three places, and a message after its end. */
function everything() {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1').emit({ type: 'run_recovered', reason: 'first' });
  root
    .emit(told('m_1', 'caller', 1))
    .step(1)
    .emit({ type: 'run_recovered', reason: 'second' })
    .text('lost')
    .discard('cut off');
  root.emit({ type: 'thinking', part: 0, delta: 'Hm.' });
  root.emit({
    type: 'provider_tool_start',
    part: 1,
    providerCallId: 'p_1',
    toolName: 'web',
    arguments: { q: 'moths' },
  });
  root.emit({
    type: 'provider_tool_end',
    part: 1,
    providerCallId: 'p_1',
    toolName: 'web',
    success: true,
    result: ['x'],
  });
  root.emit({
    type: 'reply_source',
    part: 2,
    sourceId: 's_1',
    sourceType: 'url',
    url: 'https://a.test',
    title: 'Moths',
  });
  root.emit({ type: 'text_delta', part: 3, delta: 'Seen.' });
  root.emit({ type: 'reply_file', part: 4, mediaType: 'image/png', path: 'a.png', etag: 'e', bytes: 3 });
  root.emit({ type: 'reply_file', part: 5, mediaType: 'image/gif', url: 'https://b.test' });
  root.emit({
    type: 'reply_source',
    part: 6,
    sourceId: 's_2',
    sourceType: 'document',
    mediaType: 'text/plain',
    filename: 'b.txt',
  });
  root.tool('c_1', 'find', { q: 1 }).commit().toolEnd('c_1', { found: 2 });
  root
    .emit(told('m_2', 'child', 2))
    .emit(told('m_3', 'caller', 2, { role: 'system' }))
    .step(2)
    .text('On.');
  return { log, root };
}

const itemsIn = (entries: readonly SequencedChunk[], edge?: string) =>
  itemsOf(present(reduceAll(entries).agents[0]), [], edge);

it('[RH18, RH23] has each block of a reply, each message, recovery and end once, at its place and with its step', () => {
  const { log, root } = everything();
  const agent = () => present(reduceAll(log.entries).agents[0]);
  const run = () => present(agent().runs[0]);
  const at = { runId: 'r_1', step: 1 };
  const of = (id: string) => ({ id: `r_1 1 ${id}`, ...at });
  const message = (index: number) => present(agent().messages[index]);
  const [first, second] = [present(run().steps[0]), present(run().steps[1])];
  const [web, moths, png, gif, paper] = present(first.further);
  const ended = { kind: 'step', step: 1, id: 'r_1 1', runId: 'r_1', view: first, over: false };
  const expected = [
    {
      kind: 'asked',
      id: 'message m_1',
      runId: 'r_1',
      step: 1,
      text: 'caller said',
      from: 'caller',
      message: message(0),
    },
    { kind: 'recovered', id: 'r_1 recovered0', runId: 'r_1', reason: 'first' },
    ended,
    { kind: 'recovered', id: 'r_1 recovered1', runId: 'r_1', reason: 'second' },
    { kind: 'discarded', ...of('x1'), attempt: 1, reason: 'cut off' },
    { kind: 'thinking', ...of('thinking0'), text: 'Hm.', open: false },
    { kind: 'provider-tool', ...of('provider-tool1'), tool: web },
    { kind: 'text', ...of('text3'), text: 'Seen.', open: false },
    { kind: 'made-file', ...of('file4'), file: png },
    { kind: 'made-file', ...of('file5'), file: gif },
    { kind: 'sources', ...of('sources'), sources: [moths, paper] },
    { kind: 'call', id: 'call c_1', ...at, call: agent().calls[0], over: false },
    { kind: 'message', id: 'message m_2', runId: 'r_1', step: 2, message: message(1) },
    { kind: 'message', id: 'message m_3', runId: 'r_1', step: 2, message: message(2) },
    { kind: 'step', id: 'r_1 2', runId: 'r_1', step: 2, view: second, over: false },
    { kind: 'text', id: 'r_1 2 text0', runId: 'r_1', step: 2, text: 'On.', open: true },
  ];
  expect(itemsIn(log.entries)).toEqual(expected);
  expect(itemsIn(log.entries, 'Cut.')).toEqual([{ kind: 'edge', id: 'edge', says: 'Cut.' }, ...expected]);
  root.interrupted('user');
  const over = expected.map((item) => ('over' in item ? { ...item, over: true } : item));
  expect(itemsIn(log.entries)).toEqual([...over, { kind: 'end', id: 'r_1 end', runId: 'r_1', run: run() }]);
});

it('[RH23] an item that is once there keeps its id and its place among the others, and no two have one id', () => {
  const { log, root } = everything();
  root
    .interrupted()
    .resumed('r_2')
    .emit(told('m_4', 'parent', 3))
    .text(' And on.')
    .commit()
    .completed('Done.');
  let before: string[] = [];
  for (let length = 1; length <= log.entries.length; length += 1) {
    const ids = itemsIn(log.entries.slice(0, length)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const kept = before.filter((id) => ids.includes(id));
    expect(ids.filter((id) => kept.includes(id))).toEqual(kept);
    // A resume takes the open step along; what an attempt has written is thrown away with it.
    const gone = before.filter((id) => !ids.includes(id));
    expect(gone.every((id) => /^r_1 (?:1 text0|2)/.test(id))).toBe(true);
    before = ids;
  }
});

it('[RH18] of recoveries of steps that the log lost come in their order, before the next step that it has', () => {
  const { log } = everything();
  const agent = present(reduceAll(log.entries).agents[0]);
  const [run] = agent.runs;
  const without = (steps: number) => ({
    ...agent,
    runs: [{ ...present(run), steps: present(run).steps.slice(steps) }],
  });
  const kinds = (steps: number) =>
    itemsOf(without(steps), [], undefined).flatMap(({ kind }) => (kind === 'asked' ? [] : [kind]));
  const lost = ['recovered', 'recovered', 'message', 'message'];
  expect(kinds(1).slice(-6)).toEqual([...lost, 'step', 'text']);
  expect(kinds(2).slice(-4)).toEqual(lost);
});

/** Entries of the server's transcript by role and author, with the kinds of their items. */
const OLDER: [entry: object, ...items: object[]][] = [
  [
    { role: 'user', content: 'Hi.' },
    { kind: 'asked', text: 'Hi.', from: 'caller' },
  ],
  [
    { role: 'user', from: 'parent', content: 'Hi.' },
    { kind: 'asked', text: 'Hi.', from: 'parent' },
  ],
  [{ role: 'user', from: 'child', content: 'Hi.' }, { kind: 'older' }],
  [{ role: 'system', from: 'caller', content: 'Hi.' }, { kind: 'older' }],
  [{ role: 'tool', from: 'caller', content: 'Hi.' }, { kind: 'older' }],
  [
    { role: 'assistant', content: 'Hi.' },
    { kind: 'text', text: 'Hi.', open: false },
  ],
  [
    {
      role: 'assistant',
      content: ['odd', null, { type: 'tool-call' }, { type: 'reasoning', text: 'Hm.' }, { text: 'no type' }],
    },
    { kind: 'older', entry: { role: 'assistant', content: ['odd'], at: 0 } },
    { kind: 'older', entry: { role: 'assistant', content: [null], at: 0 } },
    { kind: 'thinking', text: 'Hm.', open: false },
    { kind: 'older', entry: { role: 'assistant', content: [{ text: 'no type' }], at: 0 } },
  ],
];

it.each<[entry: object, ...items: object[]]>(OLDER)('[RH18] of an entry that the log lost: %o', (entry, ...items) => {
  const log = newLog();
  log.root('top', 'a').run('r_1').step(1);
  const agent = present(reduceAll(log.entries).agents[0]);
  const given = [{ ...entry, at: 0 }] as unknown as TranscriptMessage[];
  const own = itemsOf(agent, olderOf(agent, given), undefined).slice(0, -1);
  const all = items.map((item) => ('kind' in item && item.kind === 'older' ? { entry: given[0], ...item } : item));
  expect(own.map(({ id: _, ...rest }) => rest)).toEqual(all);
  expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
});

it('[RH24] an entry is older than the log if it came before its first step, or before all of it where it has none', () => {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1');
  const entries = (at: number) => [{ role: 'user', content: '', at }] as unknown as TranscriptMessage[];
  const agent = () => present(reduceAll(log.entries).agents[0]);
  const isOlder = (at: number) => olderOf(agent(), entries(at)).length === 1;
  const { firstAt } = agent();
  expect([firstAt - 1, firstAt].map(isOlder)).toEqual([true, false]);
  root.step(1);
  const { startedAt } = present(agent().runs[0]?.steps[0]);
  expect([startedAt - 1, startedAt].map(isOlder)).toEqual([true, false]);
});

it('[CN58] the text of a content is that of its parts; another part is its name, its media type or its type', () => {
  const table: readonly (readonly [content: Json | undefined, text: string])[] = [
    [undefined, ''],
    ['a', 'a'],
    [{ n: 1 }, '{\n  "n": 1\n}'],
    [null, 'null'],
    [[], ''],
    [[{ type: 'text', text: 'a' }, { text: '' }], 'a\n'],
    [[{ type: 'file', mediaType: 'image/png', filename: 'a.png', text: 7 }], '[a.png]'],
    [[{ type: 'file', mediaType: 'image/png' }], '[image/png]'],
    [[{ type: 'file' }, {}, null], '[file]\n[part]\n[part]'],
  ];
  for (const [content, text] of table) expect(textOf(content)).toBe(text);
});

it('[CN58] a search looks through all that an item of any kind shows, and through no more', () => {
  const { log, root } = everything();
  const sought = () => itemsIn(log.entries, 'Cut.').map((item) => [item.kind, searchedOf(item)]);
  const texts = [
    ...[
      ['edge', 'Cut.'],
      ['asked', 'caller said'],
      ['recovered', 'first'],
      ['step', 'step 1'],
      ['recovered', 'second'],
    ],
    ...[
      ['discarded', 'cut off'],
      ['thinking', 'Hm.'],
      ['provider-tool', 'web {"q":"moths"} ["x"]'],
      ['text', 'Seen.'],
    ],
    ...[
      ['made-file', 'a.png'],
      ['made-file', 'image/gif'],
      ['sources', 'Moths https://a.test  '],
    ],
    ...[
      ['call', 'find {"q":1} {"found":2}'],
      ['message', 'child said'],
      ['message', 'caller said'],
    ],
    ...[
      ['step', 'step 2'],
      ['text', 'On.'],
    ],
  ];
  expect(sought()).toEqual(texts);
  root.emit({ type: 'provider_tool_start', part: 1, providerCallId: 'p_2', toolName: 'web', arguments: null });
  root.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_2', toolName: 'find' });
  root.emit({ type: 'tool_arg_stream_delta', toolCallId: 'c_2', delta: '{"q' });
  root.tool('c_3', 'find', 0).failed({ code: 'model_error', message: 'gone' } as never);
  const later = sought().slice(texts.length);
  expect(later.slice(0, 3)).toEqual([
    ['provider-tool', 'web null '],
    ['call', 'find {"q'],
    ['call', 'find 0 '],
  ]);
  expect(later[3]).toEqual(['end', expect.stringContaining('"gone"')]);
  const entry = { role: 'tool', at: 0, content: 'Seen.' };
  const older = [entry, { ...entry, toolName: 'find', result: 0 }].map((each) => ({
    kind: 'older',
    id: '',
    entry: each,
  }));
  expect(older.map((item) => searchedOf(item as never))).toEqual([' Seen. ', 'find Seen. 0']);
});

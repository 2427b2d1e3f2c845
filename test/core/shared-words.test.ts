/** Rules that all readers of the wire format share: statuses, texts, sources and room, row by row. */
import { describe, expect, it } from 'vitest';
import { CHUNKS, type ChunkBody } from '../../src/protocol/chunks';
import { headingOf, trimEndOf } from '../../src/protocol/content/lines';
import { oldestOut } from '../../src/protocol/content/room';
import { isWebUrl } from '../../src/protocol/content/web-url';
import { furtherAfter } from '../../src/protocol/replies/reduce-further';
import { stepSources } from '../../src/protocol/replies/sources';
import { isDeceiving } from '../../src/protocol/shown/names';
import { personOf } from '../../src/protocol/shown/people';
import { isStatusWord, MAX_STATUS_TEXT, statusTextAfter } from '../../src/protocol/shown/status-text';
import {
  isAtRest,
  isEndChunk,
  isEnded,
  isSuspended,
  SESSION_STATUSES,
  type SessionStatus,
} from '../../src/protocol/status';
import { statusAfter } from '../../src/protocol/status/after';
import { textOfOutput } from '../../src/protocol/view/output-text';
import type { FurtherView } from '../../src/protocol/view/view';

/** Each status: whether it is an end, and whether somebody is waited for. Written by hand. */
const STATUSES: Record<SessionStatus, 'working' | 'idle' | 'suspended' | 'ended'> = {
  ...{ idle: 'idle', queued: 'working', running: 'working' },
  ...{
    suspended_client_tool: 'suspended',
    suspended_awaiting_children: 'suspended',
    suspended_step_partial: 'suspended',
  },
  ...{ interrupted: 'ended', completed: 'ended', failed: 'ended', terminated: 'ended' },
};

describe('a status', () => {
  it('[A7, SU1] is an end, a wait or work, and rests in all cases but the last', () => {
    expect([...SESSION_STATUSES].sort()).toEqual(Object.keys(STATUSES).sort());
    for (const [status, is] of [...Object.entries(STATUSES), ['of a newer version', 'working']])
      expect([status, isEnded(String(status)), isSuspended(String(status)), isAtRest(String(status))]).toEqual([
        ...[status, is === 'ended', is === 'suspended', is !== 'working'],
      ]);
  });

  it('[A7] after a chunk is what that says, and of most chunks what it was', () => {
    const changes: Record<string, string> = {
      ...{ run_started: 'running', unsuspended: 'running', suspended: 'suspended_step_partial' },
      ...{
        run_completed: 'completed',
        run_failed: 'failed',
        run_interrupted: 'interrupted',
        run_terminated: 'terminated',
      },
    };
    for (const type of Object.keys(CHUNKS))
      for (const before of SESSION_STATUSES) {
        const chunk = { type, status: 'suspended_step_partial' } as unknown as ChunkBody;
        const recovered = isSuspended(before) ? before : 'running';
        expect([type, before, statusAfter(before, chunk)]).toEqual([
          ...[type, before, type === 'run_recovered' ? recovered : (changes[type] ?? before)],
        ]);
      }
    const ends = Object.keys(CHUNKS).filter((type) => isEndChunk({ type }));
    expect(ends.sort()).toEqual(['run_completed', 'run_failed', 'run_interrupted', 'run_terminated']);
  });

  it('[R15, R16, DG32] has a text of its own, which a run, its end, a word of a parent and an own word change', () => {
    const of = (chunk: object) => statusTextAfter('Before.', { agentId: 's_1', ...chunk } as never);
    const own = { type: 'subagent_status', subSessionId: 's_1' };
    const long = 'x'.repeat(MAX_STATUS_TEXT);
    const rows: readonly (readonly [object, string | undefined])[] = [
      [own, 'Before.'],
      [{ ...own, statusText: 'Now.' }, 'Now.'],
      [{ ...own, statusText: '' }, undefined],
      [{ ...own, statusText: 'Now.', subSessionId: 's_2' }, 'Before.'],
      [{ type: 'custom', name: 'status', data: 'Reads.' }, 'Reads.'],
      [{ type: 'custom', name: 'status', data: '' }, ''],
      [{ type: 'custom', name: 'status', data: `${long}x` }, long],
      [{ type: 'custom', name: 'status', data: 7 }, 'Before.'],
      [{ type: 'custom', name: 'other', data: 'Reads.' }, 'Before.'],
    ];
    for (const [chunk, text] of rows) expect([chunk, of(chunk)]).toEqual([chunk, text]);
    for (const type of Object.keys(CHUNKS).filter((one) => one !== 'custom' && one !== 'subagent_status'))
      expect([type, of({ type })]).toEqual([type, /^run_(started|completed)$/.test(type) ? undefined : 'Before.']);
    const words = ['interrupting', 'aborting', 'terminating', 'unreached', 'reached', ...SESSION_STATUSES];
    expect(words.filter(isStatusWord)).toEqual([...SESSION_STATUSES]);
  });
});

describe('a text for people', () => {
  it('[A53] that is a name shows what is in it: no control characters, breaks of lines or marks of direction', () => {
    for (const name of ['Ann', 'Zoë', 'a b', '\u4e2d', '\u{1f600}', '\u200d', '\u2027', '\u202f', '\u2065', '\u206a'])
      expect([name, isDeceiving(name)]).toEqual([name, false]);
    const marks = '\0 \t \n \x1b \x7f \x85 \u061c \u200e \u200f \u2028 \u2029 \u202a \u202e \u2066 \u2069'.split(' ');
    for (const mark of marks) expect([mark, isDeceiving(`a${mark}b`)]).toEqual([mark, true]);
    expect(['local', 'anonymous', 'ann'].map(personOf)).toEqual(['somebody on this machine', 'somebody', 'ann']);
  });

  it('[RP2] may link to the web alone', () => {
    for (const url of ['http://a.test', 'HTTPS://a.test/x']) expect([url, isWebUrl(url)]).toEqual([url, true]);
    for (const url of ['', 'a.test', 'ftp://a.test', 'javascript:x', ' https://a.test', 'https://', 'xhttps://a.test'])
      expect([url, isWebUrl(url)]).toEqual([url, false]);
  });

  it('[D50] is a heading with one to six marks, a blank and words', () => {
    for (let level = 0; level <= 7; level++) {
      const known = level > 0 && level < 7 ? { level, words: 'a b' } : undefined;
      for (const rest of [' a b', '\ta  b ', ' a b #', ' a b ###  '])
        expect([level, rest, headingOf(`${'#'.repeat(level)}${rest}`)]).toEqual([level, rest, known]);
    }
    for (const [line, heading] of [
      ['#a', undefined],
      ['#', undefined],
      ['# ', undefined],
      ['# #', undefined],
      [' # a', undefined],
      ['# a#', { level: 1, words: 'a#' }],
      ['# a # b', { level: 1, words: 'a # b' }],
    ] as const)
      expect([line, headingOf(line)]).toEqual([line, heading]);
    for (const [text, end] of [
      ['', ''],
      ['a', 'a'],
      ['a.,.', 'a'],
      ['.,', ''],
      ['.a', '.a'],
    ])
      expect([text, trimEndOf(String(text), '.,')]).toEqual([text, end]);
  });

  it('[CN96] of an output is its first text of the usual names, with its title and its sources', () => {
    const list = '\n\n## Sources\n\n1. a\n2. b · 3';
    for (const [output, text] of [
      ['x', 'x'],
      ['', ''],
      [7, undefined],
      [null, undefined],
      [['x'], undefined],
      [{}, undefined],
      [{ other: 'x' }, undefined],
      [{ summary: 's', content: 'c', text: 't', answer: 'a', report: 'r', markdown: 'm' }, 'm'],
      [{ summary: 's', content: 'c', text: 't', answer: 'a', report: 'r' }, 'r'],
      [{ summary: 's', content: 'c', text: 't', answer: 'a' }, 'a'],
      [{ summary: 's', content: 'c', text: 't' }, 't'],
      [{ summary: 's', content: 'c' }, 'c'],
      [{ summary: 's' }, 's'],
      [{ markdown: 7, text: 't' }, 't'],
      [{ text: 't', title: 'T' }, '# T\n\nt'],
      [{ text: '# Own\nt', title: 'T' }, '# Own\nt'],
      [{ text: 't', title: 7 }, 't'],
      ...['citations', 'sources', 'references'].map(
        (name) => [{ text: 't', [name]: ['a', { b: 'b', n: 3, o: {} }] }, `t${list}`] as const,
      ),
      [{ text: 't', references: ['x'], citations: ['a', { b: 'b', n: 3 }] }, `t${list}`],
      [{ text: 't', sources: [] }, 't'],
      [{ text: 't', sources: 'a' }, 't'],
      [{ text: 't', sources: [7, null] }, 't\n\n## Sources\n\n1. 7\n2. null'],
      [{ text: 't\n## Sources\nx', sources: ['a'] }, 't\n## Sources\nx'],
      [{ text: 't\n# references', sources: ['a'] }, 't\n# references'],
      [{ text: 't Sources', sources: ['a'] }, 't Sources\n\n## Sources\n\n1. a'],
    ] as const)
      expect([output, textOfOutput(output)]).toEqual([output, text]);
  });
});

describe('blocks of a reply', () => {
  const source = (part: number, facts: object) =>
    ({ type: 'reply_source', part, sourceType: 'url', ...facts }) as never;
  const tool = (part: number, providerCallId: string) =>
    ({ type: 'provider_tool_start', part, providerCallId, toolName: 't', arguments: part }) as never;
  const end = (part: number, providerCallId: string, success = true) =>
    ({ type: 'provider_tool_end', part, providerCallId, toolName: 't', result: part, success }) as never;
  const blocksOf = (...chunks: never[]): readonly FurtherView[] =>
    chunks.reduce<readonly FurtherView[]>(furtherAfter, []);
  const shown = (part: number, providerCallId: string, more: object = {}) => ({
    ...{ kind: 'provider-tool', part, providerCallId, toolName: 't', arguments: part, ...more },
  });

  it('[RP5] lie by their places, those of one place in the order of coming', () => {
    const url = (part: number, name: string) => source(part, { url: name });
    const found = blocksOf(url(2, 'c'), url(0, 'a'), url(2, 'd'), url(1, 'b'), url(0, 'a2'));
    expect(found.map((block) => (block.kind === 'source' && block.sourceType === 'url' ? block.url : ''))).toEqual([
      ...['a', 'a2', 'b', 'c', 'd'],
    ]);
  });

  it('[RP5] of a tool of the provider have the result of the last call of that id that has none', () => {
    const outcome = (result: number, success = true) => ({ outcome: { success, result } });
    expect(blocksOf(tool(0, 'p'), tool(1, 'q'), end(2, 'p'))).toEqual([shown(0, 'p', outcome(2)), shown(1, 'q')]);
    expect(blocksOf(tool(0, 'p'), tool(1, 'p'), end(2, 'p', false), end(3, 'p'))).toEqual([
      ...[shown(0, 'p', outcome(3)), shown(1, 'p', outcome(2, false))],
    ]);
    const alone = shown(2, 'p', { arguments: null, ...outcome(2) });
    expect(blocksOf(end(2, 'p'))).toEqual([alone]);
    expect(blocksOf(tool(0, 'q'), end(2, 'p'))).toEqual([shown(0, 'q'), alone]);
  });

  it('[RP5] of sources and files have what is known, and nothing else', () => {
    const file = (facts: object) => ({ type: 'reply_file', part: 1, mediaType: 'image/png', ...facts }) as never;
    const [link, page, picture] = [
      { kind: 'source', part: 1 },
      { kind: 'source', part: 1, sourceType: 'document' },
      { kind: 'file', part: 1, mediaType: 'image/png' },
    ];
    for (const [chunk, block] of [
      [
        source(1, { url: 'u', title: 'T', mediaType: 'x', filename: 'f' }),
        { ...link, sourceType: 'url', url: 'u', title: 'T' },
      ],
      [source(1, {}), { ...link, sourceType: 'url', url: '' }],
      [
        source(1, { sourceType: 'document', mediaType: 'm', filename: 'f', url: 'u' }),
        { ...page, mediaType: 'm', filename: 'f' },
      ],
      [source(1, { sourceType: 'document' }), { ...page, mediaType: '' }],
      [file({ path: 'p', etag: 'e', bytes: 3, url: 'u' }), { ...picture, path: 'p', etag: 'e', bytes: 3 }],
      [file({ path: 'p' }), { ...picture, path: 'p', etag: '', bytes: 0 }],
      [file({ url: 'u', omitted: 'o' }), { ...picture, url: 'u' }],
      [file({ omitted: 'o' }), { ...picture, omitted: 'o' }],
      [file({}), { ...picture, omitted: '' }],
    ] as const)
      expect(blocksOf(chunk)).toEqual([block]);
  });

  it('[RP5] name each source once, with its title where one of them has it', () => {
    const url = (name: string, title?: string) => source(0, { url: name, ...(title ? { title } : {}) });
    const steps = [
      { further: blocksOf(url('a'), url('b', 'B')) },
      {},
      { further: blocksOf(url('a', 'A'), url('b', 'C'), url('a', 'D'), tool(1, 'p')) },
    ];
    const titles = stepSources(steps).map((one) => [one.sourceType === 'url' && one.url, one.title]);
    expect(titles).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
    const page = (facts: object) =>
      source(0, { sourceType: 'document', mediaType: 'm', title: 'T', filename: 'f', ...facts });
    expect(
      stepSources([
        {
          further: blocksOf(
            page({}),
            page({}),
            page({ filename: 'g' }),
            page({ mediaType: 'n' }),
            page({ title: 'U' }),
          ),
        },
      ]),
    ).toHaveLength(4);
  });
});

describe('room', () => {
  /** By the promise: the oldest go until half is free, wherever one more is too many. */
  function naive(sizes: readonly number[], most: number): number {
    let kept: number[] = [];
    let out = 0;
    for (const size of sizes) {
      const sum = () => kept.reduce((total, one) => total + one, 0);
      if (sum() + size > most)
        while (kept.length > 0 && sum() + size > most / 2) {
          kept = kept.slice(1);
          out++;
        }
      if (sum() + size > most) {
        out++;
        kept = [];
      } else kept.push(size);
    }
    return out;
  }

  it('[M94] is taken from the oldest, and the newest stays where it fits alone', () => {
    const values = [1, 2, 3, 5, 9];
    for (const most of [4, 8])
      for (let code = 0; code < 5 ** 5; code++) {
        const sizes = [0, 1, 2, 3, 4].map((at) => values[Math.floor(code / 5 ** at) % 5] ?? 0);
        const out = oldestOut(sizes, most);
        const rest = sizes.slice(out).reduce((sum, one) => sum + one, 0);
        const isRight = out === naive(sizes, most) && rest <= most && (out < 5 || (sizes[4] ?? 0) > most);
        if (!isRight) expect([sizes, most, out]).toEqual([sizes, most, naive(sizes, most)]);
      }
    expect([oldestOut([], 4), oldestOut([4], 4), oldestOut([5], 4)]).toEqual([0, 0, 1]);
  });
});

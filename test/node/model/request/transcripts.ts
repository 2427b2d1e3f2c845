/** Transcripts as the core can hold them, drawn at random. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/protocol/json';
import type { AssistantPart, CallResult, FilePart, Message, TextPart } from '../../../../src/protocol/messages';
import { signatureOf } from '../../../providers/rules/anthropic-api';
import { PDF, pdfOf, png, SAMPLES } from '../../../providers/rules/pictures';

const BLANKS = ['', ' ', '\n', '\n\n', '\t', '\u00a0', '\u0085', '\u3000', '\u2028', '\ufeff'];
const unit = fc.oneof(
  fc.integer({ min: 32, max: 126 }),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0, max: 0xffff }),
);

/** Any text, with halves of characters and blanks. */
const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.array(unit, { maxLength: 8 }).map((units) => String.fromCharCode(...units)) },
  { weight: 2, arbitrary: fc.constantFrom(...BLANKS) },
  { weight: 1, arbitrary: fc.constantFrom('e'.repeat(90), '😀', '😀'.slice(0, 1), ' So. ', '{"a":1}{"b":2}') },
);

const json: fc.Arbitrary<Json> = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1.5, '__proto__'),
    text,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3 }),
  ),
})).any;

const OPENAI = ['rs_1', 'rs_2', 'rs_3'];

/** Metadata as providers give them, and others. */
const metadata: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    { openai: { itemId: 'msg_1' } },
    { openai: { itemId: 'fc_1', phase: 'commentary' } },
    { google: { thoughtSignature: 'c2ln' } },
    { anthropic: { caller: { type: 'direct' } } },
    {},
  ),
  fc.record({ other: json }),
);

const thought: fc.Arbitrary<AssistantPart> = fc
  .tuple(text, fc.constantFrom('anthropic', 'redacted', 'openai', 'unsealed', 'broken'), fc.constantFrom(...OPENAI))
  .map(([said, by, itemId]) => {
    const sealed: Record<typeof by, JsonObject> = {
      anthropic: { anthropic: { signature: signatureOf(said) } },
      redacted: { anthropic: { redactedData: 'c2Vh' } },
      openai: { openai: { itemId, reasoningEncryptedContent: 'c2Vh' } },
      unsealed: {},
      broken: { anthropic: { signature: 5 }, openai: { itemId: [] } },
    };
    const providerMetadata = sealed[by];
    return by === 'unsealed'
      ? { type: 'reasoning', text: said }
      : { type: 'reasoning', text: said, providerMetadata: providerMetadata ?? {} };
  });

const words: fc.Arbitrary<TextPart> = fc
  .tuple(text, fc.option(metadata, { nil: undefined, freq: 4 }))
  .map(([said, providerMetadata]) => ({ type: 'text', text: said, ...(providerMetadata ? { providerMetadata } : {}) }));

/** Ids of calls that providers ran: some twice, some of no provider. */
const ranId = fc.constantFrom('srvtoolu_1', 'srvtoolu_2', 'srvtoolu_2', 'ws_1', 'ws_2', 'ci_1', 'call_1', 'odd id', '');
const ranTool = fc.constantFrom(
  ...['anthropic.web_search_20250305', 'anthropic.code_execution_20250825', 'openai.web_search'],
  ...['openai.code_interpreter', 'google.google_search', 'odd'],
);
const PAGE = { type: 'web_search_result', url: 'https://a.test/', title: 'A', pageAge: null, encryptedContent: 'c2Vl' };

/** Results as the packages make them, and others, as hooks and compaction leave them. */
const ranResult = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Json>([PAGE]) },
  { weight: 3, arbitrary: fc.constant<Json>({ action: { type: 'search', query: 'a' }, sources: [] }) },
  {
    weight: 1,
    arbitrary: fc.constant<Json>({ type: 'code_execution_result', stdout: '', stderr: '', return_code: 0 }),
  },
  { weight: 1, arbitrary: json },
);

const ranParts = fc
  .tuple(
    ranId,
    ranTool,
    fc.constantFrom('web_search', 'code_execution', 'n'.repeat(200)),
    fc.oneof(fc.constant<Json>({ query: 'a' }), json),
    ranResult,
    fc.constantFrom('both', 'both', 'both', 'failed', 'cut', 'no result', 'no call', 'reversed'),
  )
  .map(([providerId, by, toolName, input, result, which]): AssistantPart[] => {
    const facts = { by, providerId, toolName };
    const call: AssistantPart = { type: 'provider-call', ...facts, input };
    const ended: AssistantPart = {
      type: 'provider-result',
      ...facts,
      result,
      ...(which === 'failed' ? { isError: true as const } : {}),
      ...(which === 'cut' ? { cut: true as const } : {}),
    };
    if (which === 'no result') return [call];
    if (which === 'no call') return [ended];
    return which === 'reversed' ? [ended, call] : [call, ended];
  });

/** A text that cites pages, some of which were found. */
const citing = fc.constantFrom('https://a.test/', 'https://b.test/').map((url): AssistantPart[] => {
  const citation = { type: 'web_search_result_location', url, title: 'A', cited_text: 'A', encrypted_index: 'aW5k' };
  return [{ type: 'text', text: 'Found.', providerMetadata: { anthropic: { citations: [citation] } } }];
});

const further: fc.Arbitrary<AssistantPart[]> = fc.oneof(
  { weight: 4, arbitrary: ranParts },
  { weight: 2, arbitrary: citing },
  text.map((title): AssistantPart[] => [{ type: 'source', id: 's', sourceType: 'url', url: 'https://a.test/', title }]),
  text.map((mediaType): AssistantPart[] => [
    { type: 'reply-file', mediaType, path: 'generated/a.png', etag: 'e', bytes: 9 },
  ]),
  text.map((omitted): AssistantPart[] => [{ type: 'reply-file', mediaType: 'image/png', omitted }]),
);

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const PICTURES = Object.values(SAMPLES);

/** Data of files: whole, cut off, and of other kinds. */
const data = fc.oneof(
  fc.constantFrom(...PICTURES, png(2_001, 1), png(1, 8_001), PDF, pdfOf(60), pdfOf(70, true), pdfOf(101)),
  fc.tuple(fc.constantFrom(...PICTURES, PDF), fc.double({ min: 0, max: 1, noNaN: true })).map(([whole, part]) => {
    const bytes = Buffer.from(whole, 'base64');
    return base64(bytes.subarray(0, Math.floor(bytes.length * part)));
  }),
  fc.uint8Array({ maxLength: 40 }).map(base64),
  fc.constantFrom(base64(new Uint8Array(64)), base64(Buffer.from('PK\u0003\u0004zip')), '%%', 'a', ''),
);

const file: fc.Arbitrary<FilePart> = fc
  .record({
    mediaType: fc.constantFrom(
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'image/heic',
      'image/*',
      'image',
      'application/pdf',
      'application/zip',
      'application/octet-stream',
      'audio/wav',
      'text/plain',
      'text/markdown; charset=utf-8',
      'application/json',
      'odd',
    ),
    filename: fc.option(text, { nil: undefined }),
    data,
  })
  .map(({ filename, ...rest }) => ({ type: 'file', ...rest, ...(filename === undefined ? {} : { filename }) }));

const arrived: fc.Arbitrary<Message> = fc.oneof(
  { weight: 3, arbitrary: text.map((content): Message => ({ role: 'user', content })) },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(words, file), { maxLength: 4 }).map((content): Message => ({ role: 'user', content })),
  },
  { weight: 1, arbitrary: text.map((content): Message => ({ role: 'system', content })) },
);

const name = fc.oneof(
  fc.constantFrom(
    'look',
    'search',
    '__finish__',
    'toString',
    '__proto__',
    'n'.repeat(65),
    'n'.repeat(129),
    'n'.repeat(201),
  ),
  text,
);
const id = fc.oneof(
  fc.constantFrom('call_1', 'call_1', 'toolu_1', 'functions.look:0', 'call_0::cf-wai-tool-call::x', 'aB3xK9mP2'),
  fc.string({ minLength: 80, maxLength: 120 }),
  text,
);

const outcome: fc.Arbitrary<CallResult> = fc.oneof(
  json.map((value): CallResult => ({ success: true, value })),
  text.map((value): CallResult => ({ success: true, value })),
  fc
    .array(fc.oneof(words, file), { minLength: 1, maxLength: 3 })
    .map((value): CallResult => ({ success: true, value: { type: 'content', value } as unknown as Json })),
  text.map(
    (message): CallResult => ({
      success: false,
      error: { code: 'tool_failed', category: 'tool', retryable: false, message },
    }),
  ),
);

const called = fc.record({
  providerId: id,
  toolName: name,
  input: fc.oneof(fc.dictionary(text, json, { maxKeys: 3 }), json),
  metadata: fc.option(metadata, { nil: undefined, freq: 4 }),
  outcome,
});

let last = 0;

/** A reply, with the results of its calls behind it. */
const step: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof({ weight: 2, arbitrary: called }, words, thought, further), { maxLength: 5 })
  .map((parts) => {
    const results: Message[] = [];
    const content = parts.flat().map((part): AssistantPart => {
      if (!('outcome' in part)) return part;
      const { outcome: result, metadata: providerMetadata, ...call } = part;
      const toolCallId = `c_${++last}`;
      results.push({ role: 'tool', toolCallId, toolName: call.toolName, result });
      return { type: 'tool-call', toolCallId, ...call, ...(providerMetadata ? { providerMetadata } : {}) };
    });
    return [{ role: 'assistant', content }, ...results];
  });

/** What an agent says or hears: in any order, as runs that fail, hooks and sides leave it. */
const item = fc.oneof({ weight: 2, arbitrary: arrived.map((message) => [message]) }, { weight: 3, arbitrary: step });

/** A transcript of so many items at most. */
const transcript = (most: number): fc.Arbitrary<Message[]> =>
  fc.array(item, { maxLength: most }).map((items) => items.flat());

/** A transcript, and what is behind it when the model is asked the next time. */
export interface Drawn {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly more: readonly Message[];
}

/** A transcript, and a longer one that begins with it. */
export const drawn: fc.Arbitrary<Drawn> = fc.record({
  system: fc.oneof(fc.constant('Help.'), text),
  messages: transcript(7),
  more: transcript(3),
});

/** Rules of Anthropic's Messages API on what blocks hold: text, thoughts, pictures, documents, marks of the cache. */
import {
  type AnthropicRule,
  afterCall,
  allBlocks,
  assistant,
  type Body,
  blocksOf,
  image,
  invalid,
  type Placed,
  result,
  talk,
  thought,
  use,
  user,
} from './anthropic-api';
import { claimedType, decodeBase64, PDF, PICTURE_TYPES, pdfOf, pdfPages, png, readPicture, SAMPLES } from './pictures';

/** In base64, as the API counts. */
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
/** The most pages of all PDF files of a request, of a model with a window of 200,000 tokens. */
const MAX_PAGES = 100;
const MAX_SIDE = 8_000;
const MAX_SIDE_OF_MANY = 2_000;
const MANY_PICTURES = 20;

/** The texts of a request, with the word that an error about them begins with. */
function texts(body: Body): { readonly of: string; readonly text: string }[] {
  const system = body.system === undefined ? [] : blocksOf(body.system).map((block) => ({ of: 'system', block }));
  const talked = body.messages.flatMap(({ content }) =>
    typeof content === 'string' && content === '' ? [] : blocksOf(content).flatMap((block) => [block, ...inner(block)]),
  );
  return [...system, ...talked.map((block) => ({ of: 'messages', block }))].flatMap(({ of, block }) =>
    block.type === 'text' ? [{ of, text: String(block.text ?? '') }] : [],
  );
}

function inner({ content }: Placed['block']) {
  return Array.isArray(content) ? blocksOf(content) : [];
}

const EPHEMERAL = { type: 'ephemeral' } as const;

const isMarked = ({ cache_control }: { readonly cache_control?: unknown }): boolean => (cache_control ?? null) !== null;

/** All blocks that may mark the end of what is cached: tools, the system prompt, and the blocks of messages. */
function markable(body: Body): { readonly at: string; readonly block: { readonly cache_control?: unknown } }[] {
  const system = body.system === undefined ? [] : blocksOf(body.system);
  return [
    ...(body.tools ?? []).map((block, at) => ({ at: `tools.${at}`, block })),
    ...system.map((block, at) => ({ at: `system.${at}`, block })),
    ...allBlocks(body),
  ];
}

const TEXTS: readonly AnthropicRule[] = [
  {
    id: 'user-empty',
    says: 'A message of the user has content.',
    source: 'https://github.com/anthropics/claude-code/issues/6774; quoted in public code (PROBED_SHAPES, 2026-07-25)',
    refuses: talk([{ role: 'user', content: '' }]),
    takes: talk([
      user('Hello.'),
      { role: 'assistant', content: '' },
      { role: 'assistant', content: [] },
      user('Well?'),
    ]),
    problem({ body }) {
      const at = body.messages.findIndex(({ role, content }) => role === 'user' && content.length === 0);
      return at < 0 ? undefined : invalid(`messages.${at}: user messages must have non-empty content`);
    },
  },
  {
    id: 'cache-empty',
    says: 'No empty block of text marks the end of what is cached.',
    source:
      'https://github.com/anthropics/claude-code/issues/50082; https://github.com/NousResearch/hermes-agent/pull/1216',
    refuses: talk([user({ type: 'text', text: '', cache_control: EPHEMERAL }, 'Hello.')]),
    takes: talk([user({ type: 'text', text: 'Hello.', cache_control: EPHEMERAL })]),
    problem({ body }) {
      const bad = allBlocks(body).find(({ block }) => block.text === '' && isMarked(block));
      return bad && invalid(`${bad.at}.text: cache_control cannot be set for empty text blocks`);
    },
  },
  {
    id: 'text-empty',
    says: 'A block of text is not empty, in messages, results and the system prompt.',
    source: 'https://github.com/anthropics/claude-code/issues/59812',
    refuses: talk([user('Hello.')], { system: [{ type: 'text', text: '' }] }),
    takes: talk([user('Hello.')], { system: [{ type: 'text', text: '.' }] }),
    problem({ body }) {
      const empty = texts(body).find(({ text }) => text === '');
      return empty && invalid(`${empty.of}: text content blocks must be non-empty`);
    },
  },
  {
    id: 'text-blank',
    says: 'A block of text has more than white space.',
    source: 'https://github.com/anthropics/claude-code/issues/23440',
    refuses: talk([user('\n')]),
    takes: talk([user('\n.')]),
    problem({ body }) {
      const blank = texts(body).find(({ text }) => text.trim() === '');
      return blank && invalid(`${blank.of}: text content blocks must contain non-whitespace text`);
    },
  },
];

const THOUGHTS: readonly AnthropicRule[] = [
  {
    id: 'thinking-unsigned',
    says: 'A thought has its signature.',
    source: 'https://github.com/earendil-works/pi/pull/1523',
    refuses: talk([user('Hello.'), assistant({ type: 'thinking', thinking: 'Hm.' }, 'Hi.'), user('Well?')]),
    takes: talk([user('Hello.'), assistant(thought('Hm.'), 'Hi.'), user('Well?')]),
    problem({ body }) {
      const bad = allBlocks(body).find(({ block }) => block.type === 'thinking' && block.signature === undefined);
      return bad && invalid(`${bad.at}.thinking.signature: Field required`);
    },
  },
  {
    id: 'thinking-changed',
    says: 'A thought comes back as it was signed.',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/1598',
    refuses: talk([user('Hello.'), assistant({ ...thought('Hm.'), thinking: 'Hm' }, 'Hi.'), user('Well?')]),
    takes: talk([user('Hello.'), assistant(thought(''), 'Hi.'), user('Well?')]),
    problem({ body }) {
      const bad = allBlocks(body).find(
        ({ block }) => block.type === 'thinking' && block.signature !== thought(String(block.thinking)).signature,
      );
      return bad && invalid(`${bad.at}: Invalid \`signature\` in \`thinking\` block`);
    },
  },
  {
    id: 'thinking-first',
    says: 'With thinking enabled, a message with calls whose results come last begins with a thought.',
    source: 'https://github.com/anomalyco/opencode/issues/3077',
    refuses: afterCall({}, {}, { thinking: { type: 'enabled', budget_tokens: 1_024 }, max_tokens: 2_000 }),
    takes: talk([user('Look.'), assistant(thought('Hm.'), use('toolu_1')), user(result('toolu_1'))], {
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      max_tokens: 2_000,
    }),
    problem({ body: { messages, thinking } }) {
      if (thinking?.type !== 'enabled') return undefined;
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      const after = messages.slice(at + 1).flatMap(({ content }) => blocksOf(content));
      if (at < 0 || after.some(({ type }) => type !== 'tool_result')) return undefined;
      const found = blocksOf(messages[at]?.content)[0]?.type;
      if (found === undefined || found === 'thinking' || found === 'redacted_thinking') return undefined;
      return invalid(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When ` +
          '`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost ' +
          'set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`.',
      );
    },
  },
];

interface PlacedPicture {
  readonly at: string;
  readonly type: string;
  readonly data: string;
}

function pictures(body: Body): PlacedPicture[] {
  return allBlocks(body).flatMap(({ at, block: { type, source } }) =>
    type === 'image' && source?.type === 'base64'
      ? [{ at: `${at}.image.source.base64`, type: String(source.media_type), data: String(source.data) }]
      : [],
  );
}

/** A rule about single pictures. */
function pictureRule(
  rule: Omit<AnthropicRule, 'problem' | 'refuses' | 'takes'>,
  refuses: readonly [type: string, data: string],
  takes: readonly [type: string, data: string],
  fault: (picture: PlacedPicture) => string | undefined,
): AnthropicRule {
  const sent = ([type, data]: readonly [string, string]) => talk([user(image(type, data), 'What is it?')]);
  return {
    ...rule,
    refuses: sent(refuses),
    takes: sent(takes),
    problem({ body }) {
      for (const picture of pictures(body)) {
        const found = fault(picture);
        if (found !== undefined) return invalid(picture.at + found);
      }
      return undefined;
    },
  };
}

const PNG = SAMPLES['image/png'];

const PICTURES: readonly AnthropicRule[] = [
  pictureRule(
    {
      id: 'picture-type',
      says: 'A picture is a JPEG, PNG, GIF or WebP.',
      source: 'https://github.com/anthropics/claude-code/issues/8184',
    },
    ['image/svg+xml', PNG],
    ['image/webp', SAMPLES['image/webp']],
    ({ type }) =>
      PICTURE_TYPES.some((known) => known === type)
        ? undefined
        : ".media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ),
  pictureRule(
    {
      id: 'picture-mismatch',
      says: 'The bytes of a picture are of the type that it names.',
      source: 'https://github.com/home-assistant/core/issues/167208',
    },
    ['image/png', SAMPLES['image/jpeg']],
    ['image/jpeg', SAMPLES['image/jpeg']],
    ({ type, data }) => {
      const claimed = claimedType(Buffer.from(data, 'base64'));
      return claimed === undefined || claimed === type
        ? undefined
        : `: The image was specified using the ${type} media type, but the image appears to be a ${claimed} image`;
    },
  ),
  pictureRule(
    {
      id: 'picture-bytes',
      says: 'A picture has at most 10 MB, as base64.',
      source:
        'https://github.com/can1357/oh-my-pi/pull/10633 (10 MB, 2026-09); ' +
        'https://github.com/anthropics/claude-code/issues/19631 (the text, when it was 5 MB)',
    },
    ['image/png', 'A'.repeat(MAX_PICTURE_BYTES + 4)],
    ['image/png', PNG],
    ({ data }) =>
      data.length > MAX_PICTURE_BYTES
        ? `: image exceeds 10 MB maximum: ${data.length} bytes > ${MAX_PICTURE_BYTES} bytes`
        : undefined,
  ),
  pictureRule(
    {
      id: 'picture-broken',
      says: 'A picture decodes.',
      source:
        'https://docs.claude.com/en/docs/build-with-claude/vision; quoted in public code ("Could not process image")',
    },
    ['image/png', Buffer.from(PNG, 'base64').subarray(0, 40).toString('base64')],
    ['image/gif', SAMPLES['image/gif']],
    ({ data }) => {
      const bytes = decodeBase64(data);
      return bytes !== undefined && readPicture(bytes) !== undefined ? undefined : '.data: Could not process image';
    },
  ),
  {
    id: 'picture-size',
    says: 'No side of a picture has more than 8000 pixels; with more than 20 pictures, 2000.',
    source: 'https://docs.claude.com/en/docs/vision; https://github.com/anthropics/claude-code/issues/4778, #9375',
    refuses: talk([user(...Array.from({ length: 21 }, () => image('image/png', png(2_001))))]),
    takes: talk([user(...Array.from({ length: 20 }, () => image('image/png', png(2_001))))]),
    problem({ body }) {
      const all = pictures(body);
      const many = all.length > MANY_PICTURES;
      const most = many ? MAX_SIDE_OF_MANY : MAX_SIDE;
      for (const { at, data } of all) {
        const picture = readPicture(Buffer.from(data, 'base64'));
        if (Math.max(picture?.width ?? 0, picture?.height ?? 0) <= most) continue;
        return invalid(
          `${at}.data: At least one of the image dimensions exceed max allowed size${many ? ' for many-image requests' : ''}: ${most} pixels`,
        );
      }
      return undefined;
    },
  },
  {
    id: 'document-broken',
    says: 'A PDF is one.',
    source:
      'https://docs.claude.com/en/docs/build-with-claude/pdf-support; quoted in public code ("The PDF specified was not valid")',
    refuses: talk([user(pdf(Buffer.from('<html>').toString('base64')))]),
    takes: talk([user(pdf(PDF))]),
    problem({ body }) {
      const bad = allBlocks(body).find(
        ({ block: { type, source } }) =>
          type === 'document' &&
          source?.type === 'base64' &&
          decodeBase64(source.data)?.toString('latin1', 0, 5) !== '%PDF-',
      );
      return bad && invalid(`${bad.at}.pdf.source.base64.data: The PDF specified was not valid.`);
    },
  },
  {
    id: 'document-pages',
    says: 'The PDF files of a request have at most 100 pages together; 600 with models whose window holds more than 200,000 tokens.',
    source:
      'https://github.com/anthropics/claude-code/issues/6231; https://github.com/warpdotdev/warp/issues/8114; https://docs.claude.com/en/docs/build-with-claude/pdf-support',
    refuses: talk([user(pdf(pdfOf(60)), pdf(pdfOf(41)))]),
    takes: talk([user(pdf(pdfOf(60)), pdf(pdfOf(40)))]),
    problem({ body }) {
      let pages = 0;
      for (const { block, at } of allBlocks(body)) {
        if (block.type === 'document' && block.source?.type === 'base64') pages += pdfPages(String(block.source.data));
        if (pages > MAX_PAGES)
          return invalid(`${at}.pdf.source.base64.data: A maximum of ${MAX_PAGES} PDF pages may be provided.`);
      }
      return undefined;
    },
  },
];

function pdf(data: string) {
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
}

function marked(count: number): Body {
  const text = (n: number) => ({ type: 'text', text: `Part ${n}.`, cache_control: EPHEMERAL });
  return talk([user(...Array.from({ length: count }, (_, n) => text(n)))]);
}

function systemMark(cache_control: object): Body {
  return talk([user('Hello.')], { system: [{ type: 'text', text: 'Help.', cache_control }] });
}

const MARKS: readonly AnthropicRule[] = [
  {
    id: 'cache-thinking',
    says: 'No thought marks the end of what is cached.',
    source: 'https://github.com/Wei-Shaw/sub2api/issues/225; https://github.com/UKGovernmentBEIS/inspect_ai/pull/3967',
    refuses: talk([user('Hello.'), assistant({ ...thought('Hm.'), cache_control: EPHEMERAL }, 'Hi.'), user('Well?')]),
    takes: talk([
      user('Hello.'),
      assistant(thought('Hm.'), { type: 'text', text: 'Hi.', cache_control: EPHEMERAL }),
      user('Well?'),
    ]),
    problem({ body }) {
      const bad = allBlocks(body).find(({ block }) => /thinking$/.test(block.type) && isMarked(block));
      return bad && invalid(`${bad.at}.${bad.block.type}.cache_control: Extra inputs are not permitted`);
    },
  },
  {
    id: 'cache-type',
    says: 'A mark is ephemeral, and lives five minutes or an hour.',
    source: 'https://docs.claude.com/en/docs/build-with-claude/prompt-caching',
    refuses: systemMark({ type: 'persistent' }),
    takes: systemMark({ type: 'ephemeral', ttl: '1h' }),
    problem({ body }) {
      const bad = markable(body).find(({ block }) => {
        const mark = block.cache_control as { type?: unknown; ttl?: unknown } | null | undefined;
        return isMarked(block) && (mark?.type !== 'ephemeral' || !['5m', '1h', undefined].includes(mark.ttl as string));
      });
      return bad && invalid(`${bad.at}.cache_control.type: Input should be 'ephemeral'`);
    },
  },
  {
    id: 'cache-marks',
    says: 'At most four blocks mark the end of what is cached, tools and the system prompt included.',
    source: 'https://github.com/Wei-Shaw/sub2api/issues/176',
    refuses: marked(5),
    takes: marked(4),
    problem({ body }) {
      const found = markable(body).filter(({ block }) => isMarked(block)).length;
      if (found <= 4) return undefined;
      return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`);
    },
  },
];

/** Rules on blocks, in the order in which they are asked. */
export const CONTENT_RULES: readonly AnthropicRule[] = [...TEXTS, ...THOUGHTS, ...PICTURES, ...MARKS];

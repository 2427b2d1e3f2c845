/**
 * The prompt cache of Anthropic: which beginning of a request it has, by the requests before.
 *
 * A request is cut into blocks (tools, system prompt, messages). A mark writes an entry for all blocks up to it. It reads the
 * longest entry that ends at the mark or at one of the 20 blocks before it. A change of the choice of a tool or of thinking
 * makes new entries of messages. Source: https://docs.claude.com/en/docs/build-with-claude/prompt-caching
 */
import { createHash } from 'node:crypto';
import { type Block, type Body, blocksOf } from './rules/anthropic-api';

/** The blocks before a mark at which an entry is looked for. */
const LOOKBACK = 20;

/** The part of a request that was in the cache, in blocks and in estimated tokens. */
export interface Cached {
  /** The blocks of the request: tools, then the system prompt, then messages. */
  readonly blocks: number;
  readonly readBlocks: number;
  readonly read: number;
  readonly written: number;
}

/** The cache of one account. Nothing expires. */
export class PromptCache {
  readonly #entries = new Set<string>();

  /** Reads and writes what the marks of a request say. */
  ask(body: Body): Cached {
    const prefixes = prefixesOf(body);
    let read = -1;
    for (const [at, { isMarked }] of prefixes.entries()) {
      if (!isMarked) continue;
      for (let back = at; back >= 0 && back >= at - LOOKBACK; back--)
        if (back > read && this.#entries.has(prefixes[back]?.hash ?? '')) read = back;
    }
    const last = prefixes.findLastIndex(({ isMarked }) => isMarked);
    for (const { hash, isMarked } of prefixes) if (isMarked) this.#entries.add(hash);
    const tokens = (upTo: number) => prefixes.slice(0, upTo + 1).reduce((all, one) => all + one.tokens, 0);
    return {
      blocks: prefixes.length,
      readBlocks: read + 1,
      read: tokens(read),
      written: Math.max(0, tokens(last) - tokens(read)),
    };
  }
}

interface Prefix {
  /** Of all blocks up to this one. */
  readonly hash: string;
  readonly isMarked: boolean;
  readonly tokens: number;
}

function prefixesOf({ tools = [], system, messages, tool_choice, thinking, model }: Body): Prefix[] {
  let before = model;
  const prefix = (of: string, block: object & { cache_control?: unknown }): Prefix => {
    const { cache_control, ...rest } = block;
    const text = JSON.stringify(rest);
    before = createHash('sha256').update(`${before} ${of} ${text}`).digest('hex');
    return { hash: before, isMarked: (cache_control ?? null) !== null, tokens: Math.ceil(text.length / 4) };
  };
  const fixed = [
    ...tools.map((tool) => prefix('tool', tool)),
    ...(system === undefined ? [] : blocksOf(system).map((block) => prefix('system', block))),
  ];
  const settings = JSON.stringify([tool_choice ?? null, thinking ?? null]);
  const talked = messages.flatMap(({ role, content }, turn) =>
    blocksOf(content).map((block: Block) => prefix(`${settings} ${turn} ${role}`, block)),
  );
  return [...fixed, ...talked];
}

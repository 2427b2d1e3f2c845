/** Rules of Anthropic's Messages API on the tools that Anthropic runs, and on citations of what they found. */
import {
  type AnthropicRule,
  assistant,
  type Block,
  type Body,
  blocksOf,
  invalid,
  talk,
  tool,
  user,
} from './anthropic-api';
import { isRecord } from './rule';

/** The types of tools, as far as they are known; the API lists them where it refuses one. */
const TOOL_TYPES =
  /^(?:custom|(?:bash|code_execution|computer|computer_toolset|memory|text_editor|web_fetch|web_search|advisor|mcp_toolset)_\d{8}|tool_search_tool_(?:bm25|regex)(?:_\d{8})?)$/;

function searched(...blocks: readonly (string | Block)[]): Body {
  const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } };
  return talk([user('Search.'), assistant(call, ...blocks), user('Well?')]);
}

const PAGE = { type: 'web_search_result', url: 'https://a.test/', title: 'A', encrypted_content: 'c2VlbQ==' };

const found = (): Block => ({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [PAGE] });

function cites(url: string): Block {
  const citation = { type: 'web_search_result_location', url, title: 'A', cited_text: 'A', encrypted_index: 'aW5k' };
  return { type: 'text', text: 'Found.', citations: [citation] };
}

/** The addresses of pages that searches of the request have found. */
function pagesOf({ messages }: Body): Set<string> {
  const pages = messages.flatMap(({ content }) =>
    blocksOf(content).flatMap((block) =>
      block.type === 'web_search_tool_result' ? blocksOf(block.content).map((page) => isRecord(page) && page.url) : [],
    ),
  );
  return new Set(pages.filter((url) => typeof url === 'string'));
}

/** The addresses that a text cites. */
function citedBy({ citations }: Block): string[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap((one) =>
    isRecord(one) && one.type === 'web_search_result_location' ? [String(one.url)] : [],
  );
}

/** Rules on what Anthropic ran. */
export const RAN_RULES: readonly AnthropicRule[] = [
  {
    id: 'tool-type',
    says: 'A tool is custom, or of a type that the API knows.',
    source: 'https://github.com/dirac-run/dirac/issues/57',
    refuses: talk([user('Look.')], { tools: [{ ...tool('look'), type: 'function' }] }),
    takes: talk([user('Look.')], { tools: [tool('look'), { name: 'web_search', type: 'web_search_20250305' }] }),
    problem({ body: { tools = [] } }) {
      const at = tools.findIndex(({ type }) => type !== undefined && !TOOL_TYPES.test(type));
      if (at < 0) return undefined;
      return invalid(
        `tools.${at}: Input tag '${tools[at]?.type}' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom', 'web_search_20250305'`,
      );
    },
  },
  {
    id: 'search-without-result',
    says: 'A call that Anthropic ran has its result behind it in the same message.',
    source: 'https://github.com/AnswerDotAI/lisette/issues/108',
    refuses: searched('Found.'),
    takes: searched(found(), 'Found.'),
    problem({ body: { messages } }) {
      for (const [i, { content }] of messages.entries()) {
        const blocks = blocksOf(content);
        const alone = blocks.find(
          ({ type, id }, j) =>
            type === 'server_tool_use' && !blocks.slice(j + 1).some(({ tool_use_id }) => tool_use_id === id),
        );
        // A reply that was paused is continued as it is.
        if (alone === undefined || i === messages.length - 1) continue;
        return invalid(
          `messages.${i}: \`${alone.name}\` tool use with id \`${alone.id}\` was found without a corresponding \`${alone.name}_tool_result\` block`,
        );
      }
      return undefined;
    },
  },
  {
    id: 'citation-without-page',
    says: 'A page that a text cites is among those that a search has found.',
    source: 'quoted in public code ("Could not find search result for citation index", three files)',
    refuses: searched(found(), cites('https://b.test/')),
    takes: searched(found(), cites('https://a.test/')),
    problem({ body }) {
      const pages = pagesOf(body);
      for (const [i, { content }] of body.messages.entries())
        for (const [j, block] of blocksOf(content).entries())
          if (citedBy(block).some((url) => !pages.has(url)))
            return invalid(`messages.${i}.content.${j}: Could not find search result for citation index: 0-0`);
      return undefined;
    },
  },
];

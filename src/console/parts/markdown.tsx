/**
 * Text of a model, which is never trusted: the lexer's tokens become elements by a list of what is allowed. What is HTML
 * shows as its source, an image as its name, and no string of it ever becomes markup.
 */
import type { MarkedToken, Token, Tokens } from 'marked';
import { createContext, memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Parsed, parse } from '../data/blocks';

/** Deeper than this, lists and quotes show as their source. */
const DEEPEST = 12;

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

function targetOf(href: string): URL | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url : undefined;
}

/** A link says where it leads before it is followed. */
export function OuterLink({ href, children }: { href: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const url = targetOf(href);
  if (url === undefined) return <span>{children}</span>;
  return (
    <span className="link">
      <button type="button" className="linkish" aria-expanded={open} onClick={() => setOpen(!open)}>
        {children} <span className="host">({url.host || url.protocol})</span>
      </button>
      {open && (
        <span className="link-whole">
          <a href={url.href} target="_blank" rel="noopener noreferrer">
            {url.href}
          </a>
        </span>
      )}
    </span>
  );
}

/** Finds the view of the console that a link of a text leads to. Without it, as for texts of models, there is none. */
export const InnerLinks = createContext<(href: string) => string | undefined>(() => undefined);

function TextLink({ href, children }: { href: string; children: ReactNode }) {
  const inner = useContext(InnerLinks)(href);
  return inner === undefined ? <OuterLink href={href}>{children}</OuterLink> : <Link href={inner}>{children}</Link>;
}

const hostOf = (href: string): string => (URL.canParse(href) ? new URL(href).host : 'no host');

/** What extensions of the lexer would add is unknown here, and shows as its source. */
const KNOWN: ReadonlySet<string> = new Set([
  'blockquote',
  'br',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'image',
  'link',
  'list',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
] satisfies MarkedToken['type'][]);

const isKnown = (token: Token): token is MarkedToken => KNOWN.has(token.type);

function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return (tokens ?? []).map((token, index) => <Inline key={`${index}:${token.type}`} token={token} depth={depth} />);
}

function Inline({ token, depth }: { token: Token; depth: number }): ReactNode {
  if (depth > DEEPEST || !isKnown(token)) return token.raw;
  const inner = () => inline('tokens' in token ? token.tokens : undefined, depth + 1);
  switch (token.type) {
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <TextLink href={token.href}>{inner()}</TextLink>;
    case 'image': {
      const { text, href } = token;
      return `[image: ${text || 'no description'}, ${hostOf(href)}]`;
    }
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens === undefined ? plain(token.raw) : inner();
    default:
      return token.raw;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const plain = (raw: string): string =>
  raw.replaceAll(/&(amp|lt|gt|quot|#39);/gu, (_all, name: string) => ENTITIES[name] ?? '');

const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

const Block = memo(function Block({ token, depth }: { token: Token; depth: number }): ReactNode {
  if (depth > DEEPEST || !isKnown(token)) return <pre>{token.raw}</pre>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inline(token.tokens, depth)}</p>;
    case 'text':
      return inline(token.tokens ?? [token], depth);
    case 'heading': {
      const Heading = HEADINGS[token.depth - 1] ?? 'h6';
      return <Heading>{inline(token.tokens, depth)}</Heading>;
    }
    case 'code':
      return <pre>{token.text}</pre>;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list': {
      const { ordered, start, items } = token;
      const rows = items.map((item, index) => <li key={`${index}`}>{blocks(item.tokens, depth + 1)}</li>);
      return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
    }
    case 'table':
      return <Table table={token} depth={depth} />;
    default:
      return <pre>{token.raw}</pre>;
  }
});

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  return (
    <div className="sideways">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={`${index}`}>{inline(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={`${index}`}>
              {row.map((cell, column) => (
                <td key={`${column}`}>{inline(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, index) => <Block key={`${index}:${token.type}`} token={token} depth={depth} />);

/** A text in Markdown. While it grows, the blocks before the last one are neither parsed nor drawn again. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const held = useRef<Parsed>(undefined);
  const parsed = parse(text, held.current);
  useEffect(() => {
    held.current = parsed;
  });
  const { tokens } = parsed;
  return <div className="prose">{tokens === undefined ? <pre>{text}</pre> : blocks(tokens, 0)}</div>;
});

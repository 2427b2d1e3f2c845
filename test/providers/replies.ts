/** Scripted answers of a stand-in, the same for each provider. */

/** A page that a reply cites. */
export interface Source {
  readonly url: string;
  readonly title: string;
}

/** A part of a reply, in its order. A list of texts is streamed as so many pieces. */
export type Part =
  | { readonly type: 'text'; readonly text: string | readonly string[]; readonly sources?: readonly Source[] }
  | { readonly type: 'reasoning'; readonly text: string | readonly string[] }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly input?: unknown;
      /** The arguments as they are streamed, also such as are no JSON; `input` in one piece where absent. */
      readonly pieces?: readonly string[];
    }
  /** A search that the provider runs itself; without results, a reply that is paused before them. */
  | { readonly type: 'search'; readonly id: string; readonly query: string; readonly results?: readonly Source[] }
  /** A picture that the provider's own tool makes. */
  | { readonly type: 'image'; readonly id: string; readonly data: string }
  /** Nothing further comes until the promise settles. */
  | { readonly type: 'wait'; readonly until: Promise<unknown> };

/** The reason that a reply ends. */
export type Finish = 'stop' | 'calls' | 'length' | 'filter' | 'refusal' | 'paused';

/** The cost of a reply, in tokens. `input` counts the whole prompt, of which `cached` was read from a cache. */
export interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly cacheWritten?: number;
  readonly reasoning?: number;
}

/** A reply of the model. */
export interface Said {
  readonly parts: readonly Part[];
  /** `calls` or `stop` where absent, by the parts. */
  readonly finish?: Finish;
  /** The provider's own word for the end, in place of that for `finish`; of Chat Completions alone. */
  readonly rawFinish?: string;
  readonly tokens?: Tokens;
  /** An error that ends the stream, which had begun with status 200. */
  readonly failure?: Failure;
  /** The stream stops after so many events: its connection is lost, or it ends in order. */
  readonly broken?: { readonly after: number; readonly how: 'lost' | 'ended' };
}

/** An error of the provider. */
export interface Failure {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number;
}

/** An answer with an error status. */
export interface Failed extends Partial<Failure> {
  readonly status: number;
  /** In seconds, or a date. */
  readonly retryAfter?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body in place of the provider's own shape. */
  readonly body?: string;
}

/** One answer. */
export type Reply = Said | Failed;

/** A piece of a stream, or what it waits for. */
export type Frame = string | { readonly wait: Promise<unknown> };

/** The number of a reply, and the model that was asked for. */
export interface About {
  readonly n: number;
  readonly model: string;
}

/** A reply of one text. */
export function say(text: string | readonly string[], more: Omit<Said, 'parts'> = {}): Said {
  return { parts: [{ type: 'text', text }], ...more };
}

/** A reply of one call. */
export function call(id: string, name: string, input: unknown = {}, more: Omit<Said, 'parts'> = {}): Said {
  return { parts: [{ type: 'call', id, name, input }], ...more };
}

/** The pieces that a text is streamed in. */
export function piecesOf(text: string | readonly string[]): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

/** The pieces that the arguments of a call are streamed in. */
export function argumentsOf(part: Extract<Part, { type: 'call' }>): readonly string[] {
  return part.pieces ?? [JSON.stringify(part.input ?? {})];
}

/** The reason that a reply ends, which its parts imply where it is not scripted. */
export function finishOf({ finish, parts }: Said): Finish {
  return finish ?? (parts.some(({ type }) => type === 'call') ? 'calls' : 'stop');
}

/** The counts of a reply, with defaults. */
export function tokensOf({ tokens = {} }: Said): Required<Tokens> {
  return { input: 10, output: 5, cached: 0, cacheWritten: 0, reasoning: 0, ...tokens };
}

/** Waits for all that the parts of a reply wait for, before it is sent in one piece. */
export async function settled({ parts }: Said): Promise<void> {
  for (const part of parts) if (part.type === 'wait') await part.until;
}

/** An event of a stream, as servers send it. */
export function frame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

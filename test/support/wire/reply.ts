/** A reply to put on a wire, in the pieces in which it is to come, apart from any provider's format. */
export interface WireReply {
  readonly thinking?: readonly string[];
  readonly text?: readonly string[];
  readonly refusal?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: readonly string[] }[];
  readonly usage?: WireUsage;
  /** Why it stopped; default `calls` with calls, else `end`. */
  readonly stop?: 'end' | 'calls' | 'length' | 'filter';
}

/** Tokens; `cached` are part of `input`, `reasoning` are part of `output`. */
export interface WireUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What a reply costs that does not say. */
export const WIRE_USAGE: WireUsage = { input: 120, cached: 100, output: 30, reasoning: 12 };

/** Why a reply stopped. */
export function stopOf(reply: WireReply): NonNullable<WireReply['stop']> {
  return reply.stop ?? (reply.calls && reply.calls.length > 0 ? 'calls' : 'end');
}

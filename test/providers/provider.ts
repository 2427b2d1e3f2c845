/** The parts of each stand-in: its rules, and the wire format of its answers. */
import type { About, Failed, Frame, Said } from './replies';
import type { Judge, Refusal, Rule } from './rules/rule';

/** The headers of a refusal that say how long to wait: in seconds (Anthropic), also in ms (OpenAI), or none (Mistral). */
export type WaitHeaders = 'seconds' | 'seconds and ms' | 'none';

/** A provider's API without a server. */
export interface Api {
  readonly kind: string;
  /** The end of a request's path. */
  readonly path: string;
  readonly rules: readonly Omit<Rule, 'problem'>[];
  /** The verdict on a request, for requests of any number: it needs no server. */
  readonly problem: Judge;
  /** The header that holds the key, and the text before the key. */
  readonly key: { readonly header: string; readonly before: string };
  /** Those with a refusal for too many requests. */
  readonly waits: WaitHeaders;
  /** A reply in one piece. */
  whole(said: Said, about: About): unknown;
  /** A reply as events. */
  events(said: Said, about: About): Generator<Frame>;
  /** The body of a scripted error. */
  failure(failed: Failed): Refusal;
}

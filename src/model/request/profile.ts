/**
 * The record of what a provider takes. The stages of the pass read it and know no provider by name.
 */
import type { SettingName } from '../../core/definition/settings/settings';
import type { PictureType } from '../../protocol/content/file-bytes';
import type { ProviderCallPart, ProviderResultPart } from '../../protocol/messages';

/**
 * The form of the id of a call, in so many characters at most. `short`: nine letters and digits, whatever it was. `words`:
 * letters, digits, `_` and `-`. `free`: as it came.
 */
export type IdRule = { readonly form: 'short' } | { readonly form: 'words' | 'free'; readonly most: number };

/** The treatment of a message of the role `system` that follows another message. */
export type LaterSystem =
  /** It stays. */
  | 'stays'
  /**
   * It stays where there is a system prompt, it follows the user or a result, and it precedes a reply or is the last; else
   * it is a marked user message.
   */
  | 'before-reply'
  /** It is a marked user message. */
  | 'user';

/** Which pictures a provider takes. */
export interface PictureRule {
  readonly types: readonly PictureType[];
  /** True where a picture may have several frames. */
  readonly animated: boolean;
  /** Characters of base64. */
  readonly mostCharacters: number;
  /** Pixels of a side. */
  readonly leastPixels: number;
  readonly mostPixels: number;
  /** With more than `count` pictures in a request, a side may have so many pixels. */
  readonly crowd?: { readonly count: number; readonly mostPixels: number };
  /** Pictures of a request. */
  readonly mostPictures: number;
}

/**
 * Which thinking goes back. `sealed by`: what that provider has signed or encrypted. `unsealed`: what neither of them has.
 */
export type ThoughtRule = 'none' | 'unsealed' | 'sealed by anthropic' | 'sealed by openai';

/** Which settings a provider takes, as far as its package does not see to it. */
export interface SettingsRule {
  /** Settings that are left out: the provider refuses them, or its package drops them without a word. */
  readonly without: readonly SettingName[];
  readonly mostStops: number;
  /** True where a stop sequence may be white space alone. */
  readonly blankStops: boolean;
  /** The smallest `maxOutputTokens`; a smaller one is raised. */
  readonly leastOutput: number;
  /** The option of the package that asks for one call a reply. */
  readonly oneCall: 'disableParallelToolUse' | 'parallelToolCalls' | 'parallel_tool_calls';
  /** The field of the seed, where it is not `seed`. */
  readonly seed?: 'random_seed';
  /** True where thinking is refused behind calls that no thought precedes. */
  readonly thoughtsFirst: boolean;
  /** The way to keep the beginning of requests: marks on blocks, or a key of the session. */
  readonly cache: 'marks' | 'key' | 'none';
  /** True where the provider keeps replies for later requests, unless it is asked not to. */
  readonly stores: boolean;
}

/** The limits and forms that a provider takes in a request. */
export interface Profile {
  /** As people read it. */
  readonly name: string;
  /** The most characters that the name of a call in the history has; letters, digits, `_` and `-`. */
  readonly mostName: number;
  readonly ids: IdRule;
  readonly laterSystem: LaterSystem;
  /** The messages of the role `system` before all others become one. */
  readonly oneSystem: boolean;
  /**
   * Messages of users that follow each other become one. A reply is added between the result of a call and the next
   * message of a user.
   */
  readonly alternates: boolean;
  /** True where messages are marked that Offshoot itself wrote: a provider may refuse or bill what it does not know. */
  readonly marksNotices: boolean;
  readonly mostTools: number;
  /** Calls of one reply; more are written as further replies. */
  readonly mostCalls: number;
  /** True where a reply may have both words and calls; else they are written as two. */
  readonly wordsWithCalls: boolean;
  readonly thoughts: ThoughtRule;
  /** True where a reply with calls without a thought is refused: a note replaces the thought. */
  readonly thoughtsDue: boolean;
  /** True where a reply with calls without a seal of Google is refused: Google's word for a missing seal is sent. */
  readonly sealsDue: boolean;
  /** True where calls in the history are refused in a request without tools: they are sent as texts. */
  readonly callsNeedTools: boolean;
  /** The keys of metadata that go back; `any` where it is unknown which are read. */
  readonly metadata: readonly string[] | 'any';
  readonly pictures?: PictureRule;
  /** PDF files, in characters of base64; none are taken where it is missing. */
  readonly mostPdf?: number;
  /** Pages of all PDF files of a request. */
  readonly mostPages: number;
  /** Characters of base64 of all files of a request: what it may have, with room for its texts. */
  readonly mostFiles: number;
  /** True where the result of a tool may hold pictures and PDF files. */
  readonly filesInResults: boolean;
  readonly settings: SettingsRule;
  /** The provider, as the ids of the tools begin that it runs itself; `any` where every tool is passed on. */
  readonly runs: readonly string[] | 'any';
  /** The tools that it ran whose calls and results go back to it; those of others become text. */
  readonly ranBack?: RanRule;
  /** True where a reply in the history may hold the pictures that the model made. */
  readonly ownFiles: boolean;
}

/** The calls that a provider ran and that go back to it. */
export interface RanRule {
  /** The ids that they have. */
  readonly calls: RegExp;
  /** The name of the tool as it is written; undefined where the two become text. */
  nameOf(call: ProviderCallPart, result: ProviderResultPart): string | undefined;
}

/** What the offline model decides to say: text first, then calls. */
import type { JsonObject } from '../../protocol/json';

/** One reply of the offline model. With `calls` it goes on after their results; without, the text is its last word. */
export interface OfflineReply {
  readonly text: string;
  readonly calls: readonly { readonly toolName: string; readonly input: JsonObject }[];
}

/** A reply that only says something. */
export function say(text: string): OfflineReply {
  return { text, calls: [] };
}

/** What every text of the offline model that a person may take for an answer says about itself. */
export const WRITTEN_BY_RULES =
  'Written by the offline model, by extraction: the sentences are copied from the library and chosen by rules; no language model has read or judged them.';

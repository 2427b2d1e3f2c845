/**
 * One message of the transcript as a provider takes it, whatever comes before and behind it. It is worked out once for each
 * message and profile, and remembered as long as the message is.
 *
 * Keeps M11, M62, M74, M103, M104.
 */
import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { isBlank } from '../../protocol/content/blank';
import {
  type AssistantPart,
  type CallResult,
  failureContent,
  type Message,
  partsToShow,
  type ReplyFilePart,
  type ToolCallPart,
} from '../../protocol/messages';
import { argumentsOf } from './arguments';
import { fileOf, type SentFile } from './files';
import { cited, madeNote, madeText, pagesOf, pairsRan, type RanPairs, ranCall, ranResult } from './further';
import { fitId, fitName } from './names';
import type { Profile } from './profile';
import { wellFormed, wellFormedJson, wellFormedObject } from './texts';
import { isTaken, optionsOf } from './thoughts';

/** A part of a user's message. */
export type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type ReplyPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** A picture or PDF file among the parts of a message. */
export interface PlacedFile extends Pick<SentFile, 'picture' | 'pages'> {
  readonly part: LanguageModelV4FilePart;
}

/** A part of a reply; the id of a call is not known yet. */
export type ShapedReplyPart =
  | ReplyPart
  | { readonly call: ToolCallPart; readonly made: Omit<CallPart, 'toolCallId'> }
  | ShapedFile;

/** A file that the model made, whose bytes are read for the request. */
export interface ShapedFile {
  readonly file: ReplyFilePart;
  readonly options: Pick<LanguageModelV4FilePart, 'providerOptions'>;
}
type CallPart = Extract<ReplyPart, { type: 'tool-call' }>;

/** A message as it is sent, without regard to its neighbours. */
export type Shaped =
  | { readonly role: 'none' }
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      /** True where Offshoot itself says it. */
      readonly notice: boolean;
      readonly content: UserPart[];
      readonly files: readonly PlacedFile[];
      readonly notes: readonly string[];
    }
  | {
      readonly role: 'assistant';
      readonly content: readonly ShapedReplyPart[];
      readonly calls: readonly ToolCallPart[];
      /** Their ids as they are written where none comes twice. */
      readonly ids: readonly string[];
      readonly notes: readonly string[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: LanguageModelV4ToolResultOutput;
      /** Files of it that stand in a message of the user behind it. */
      readonly after: readonly UserPart[];
      readonly files: readonly PlacedFile[];
      readonly notes: readonly string[];
    };

const known = new WeakMap<Profile, WeakMap<Message, Shaped>>();

/** A message as a provider takes it. */
export function shaped(message: Message, profile: Profile): Shaped {
  let ofProfile = known.get(profile);
  if (ofProfile === undefined) {
    ofProfile = new WeakMap();
    known.set(profile, ofProfile);
  }
  let made = ofProfile.get(message);
  if (made === undefined) {
    made = shape(message, profile);
    ofProfile.set(message, made);
  }
  return made;
}

const NOTHING: Shaped = { role: 'none' };

function shape(message: Message, profile: Profile): Shaped {
  switch (message.role) {
    case 'system':
      return isBlank(message.content) ? NOTHING : { role: 'system', content: wellFormed(message.content) };
    case 'user':
      return shapeUser(message, profile);
    case 'assistant':
      return shapeReply(message.content, profile);
    case 'tool': {
      const { toolCallId, toolName, result } = message;
      const parts = result.success ? partsToShow(result.value) : undefined;
      const output = parts
        ? shapeResult(parts, profile)
        : { output: outputOf(result), after: [], files: [], notes: [] };
      return { role: 'tool', toolCallId, toolName: fitName(toolName, profile), ...output };
    }
  }
}

/** The text in place of a message with no content to send, and of a blank result. */
const BLANK_MESSAGE = '[This message is blank.]';
const BLANK_RESULT = '[It says nothing.]';

type UserMessage = Extract<Message, { role: 'user' }>;
type UserContent = UserMessage['content'];
type Parts = Pick<Extract<Shaped, { role: 'user' }>, 'content' | 'files' | 'notes'>;

/** Texts and files as they are sent. */
function shapeParts(given: Exclude<UserContent, string>, profile: Profile): Parts {
  const content: UserPart[] = [];
  const files: PlacedFile[] = [];
  const notes: string[] = [];
  for (const part of given) {
    if (part.type === 'text') {
      if (!isBlank(part.text))
        content.push({ type: 'text', text: wellFormed(part.text), ...optionsOf(part.providerMetadata, profile) });
      continue;
    }
    const { part: file, note, ...facts } = fileOf(part, profile);
    content.push(file);
    if (file.type === 'file') files.push({ part: file, ...facts });
    if (note !== undefined) notes.push(note);
  }
  return { content, files, notes };
}

function shapeUser({ content: given, from }: UserMessage, profile: Profile): Shaped {
  const parts = shapeParts(typeof given === 'string' ? [{ type: 'text', text: given }] : given, profile);
  if (parts.content.length === 0) parts.content.push({ type: 'text', text: BLANK_MESSAGE });
  return { role: 'user', notice: from === 'offshoot', ...parts };
}

/** A result with files. Where a provider takes none in results, they stand behind them, and the result says so. */
function shapeResult(
  given: Exclude<UserContent, string>,
  profile: Profile,
): Omit<Extract<Shaped, { role: 'tool' }>, 'role' | 'toolCallId' | 'toolName'> {
  const { content, files, notes } = shapeParts(given, profile);
  if (profile.filesInResults && files.length > 0)
    return { output: { type: 'content', value: content }, after: [], files, notes };
  const texts = content.map((part) => (part.type === 'text' ? part.text : `[The file ${nameOf(part)} follows below.]`));
  const value = texts.length === 0 ? BLANK_RESULT : texts.join('\n\n');
  return { output: { type: 'text', value }, after: files.map(({ part }) => part), files, notes };
}

const nameOf = ({ filename, mediaType }: LanguageModelV4FilePart): string => filename ?? mediaType;

/** A reply; it is left out where it has neither words nor calls. Thinking that nothing follows is left out, too. */
function shapeReply(given: readonly AssistantPart[], profile: Profile): Shaped {
  const ran = pairsRan(given, profile);
  const notes: string[] = [];
  const content = given.flatMap((part) => shapeReplyPart(part, profile, ran, notes));
  const last = content.findLastIndex((part) => !('type' in part) || part.type !== 'reasoning');
  if (last < 0) return NOTHING;
  const kept = content.slice(0, last + 1);
  const calls = kept.flatMap((part) => ('call' in part ? [part.call] : []));
  return {
    role: 'assistant',
    content: calls.length === 0 ? kept : withDue(kept, profile),
    calls,
    ids: calls.map(({ providerId }) => fitId(providerId, profile.ids)),
    notes,
  };
}

function shapeReplyPart(part: AssistantPart, profile: Profile, ran: RanPairs, notes: string[]): ShapedReplyPart[] {
  switch (part.type) {
    case 'text': {
      const { text } = part;
      const metadata = cited(part.providerMetadata, pagesOf(ran.keys()));
      return isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text), ...optionsOf(metadata, profile) }];
    }
    case 'reasoning': {
      const options = optionsOf(part.providerMetadata, profile);
      return isTaken(part, profile.thoughts) ? [{ type: 'reasoning', text: part.text, ...options }] : [];
    }
    case 'tool-call': {
      const toolName = fitName(part.toolName, profile);
      const options = optionsOf(part.providerMetadata, profile);
      return [{ call: part, made: { type: 'tool-call', toolName, input: argumentsOf(part.input), ...options } }];
    }
    case 'provider-call':
      return ranCall(part, ran, profile);
    case 'provider-result':
      return [ranResult(part, ran, profile)];
    case 'source':
      return [];
    case 'reply-file':
      if (profile.ownFiles && 'path' in part)
        return [{ file: part, options: optionsOf(part.providerMetadata, profile) }];
      notes.push(madeNote(part));
      return [{ type: 'text', text: madeText(part) }];
  }
}

/** The outcome of a call. */
function outputOf(result: CallResult): LanguageModelV4ToolResultOutput {
  if (!result.success) return { type: 'error-json', value: wellFormedObject(failureContent(result.error)) };
  const { value } = result;
  if (typeof value !== 'string') return { type: 'json', value: wellFormedJson(value) };
  return { type: 'text', value: isBlank(value) ? BLANK_RESULT : wellFormed(value) };
}

/** The thought of a reply that has none. */
const NO_THOUGHT = { type: 'reasoning', text: '[No thought was kept.]' } as const;

/** The word of Google for a call without a seal: https://ai.google.dev/gemini-api/docs/thought-signatures */
const UNSEALED = 'skip_thought_signature_validator';

/** The parts of a reply with calls, with what a provider refuses them without. */
function withDue(
  parts: readonly ShapedReplyPart[],
  { thoughtsDue, sealsDue }: Pick<Profile, 'thoughtsDue' | 'sealsDue'>,
): readonly ShapedReplyPart[] {
  const isThought = (part: ShapedReplyPart): boolean => 'type' in part && part.type === 'reasoning';
  if (thoughtsDue && !parts.some(isThought)) return [NO_THOUGHT, ...parts];
  if (!sealsDue) return parts;
  return parts.some((part) => sealOf(part) !== undefined) ? parts.map(resealed) : parts.map(unsealed);
}

/** The seal of a call by Google, under whatever name the package of its server has kept it. */
function sealOf(part: ShapedReplyPart): JSONValue | undefined {
  if (!('call' in part)) return undefined;
  return Object.values(part.made.providerOptions ?? {}).find((of) => of.thoughtSignature !== undefined)
    ?.thoughtSignature;
}

/** A call with its seal under the name that each package reads. */
function resealed(part: ShapedReplyPart): ShapedReplyPart {
  const seal = sealOf(part);
  return seal === undefined ? part : withSeal(part, seal);
}

const unsealed = (part: ShapedReplyPart): ShapedReplyPart => withSeal(part, UNSEALED);

function withSeal(part: ShapedReplyPart, thoughtSignature: JSONValue): ShapedReplyPart {
  if (!('call' in part)) return part;
  const { providerOptions } = part.made;
  const google = { thoughtSignature, ...providerOptions?.google };
  return { ...part, made: { ...part.made, providerOptions: { ...providerOptions, google } } };
}

/**
 * Calls and their results: each call has its one result in the message behind it, and each result its call.
 *
 * Keeps M12, M68.
 */
import type { LanguageModelV4Message, LanguageModelV4ToolResultPart as ResultPart } from '@ai-sdk/provider';
import type { Omissions } from './crowd';
import { madeText } from './further';
import { CallIds } from './names';
import type { Profile } from './profile';
import type { Shaped, ShapedFile, ShapedReplyPart, UserPart } from './shape';
import { itemOf, optionsOf } from './thoughts';

type Reply = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type Results = Extract<LanguageModelV4Message, { role: 'tool' }>;
type ShapedReply = Extract<Shaped, { role: 'assistant' }>;
type ShapedResult = Extract<Shaped, { role: 'tool' }>;
type Output = ShapedResult['output'];
type ShapedCall = Extract<ShapedReplyPart, { call: unknown }>;

/** The result of a call that has none. */
const NO_RESULT = 'The result of this call is not known.';

/** A reply and its results as they were written last, by the ids of the calls and their results. */
interface Written {
  readonly ids: readonly string[];
  readonly results: readonly (ShapedResult | undefined)[];
  readonly messages: readonly (Reply | Results)[];
}

const NONE: ReadonlySet<ShapedReplyPart> = new Set();

const written = new WeakMap<ShapedReply, Written>();

/** Pairs the calls of a conversation. */
export class Pairs {
  readonly #results = new Map<string, ShapedResult>();
  readonly #called = new Set<string>();
  readonly #items = new Set<string>();
  readonly #ids: CallIds;

  constructor(
    conversation: readonly Shaped[],
    readonly profile: Profile,
    /** Files that the request leaves out, with what stands for each. */
    readonly out: Omissions,
    /** The files that models made, in base64 by their paths. */
    readonly files: ReadonlyMap<string, string>,
  ) {
    this.#ids = new CallIds(profile.ids);
    for (const one of conversation) {
      if (one.role === 'tool' && !this.#results.has(one.toolCallId)) this.#results.set(one.toolCallId, one);
      if (one.role === 'assistant') for (const { toolCallId } of one.calls) this.#called.add(toolCallId);
    }
  }

  /** A result without its call, in words; nothing where it follows its call. */
  orphan(result: ShapedResult): string | undefined {
    if (this.#called.has(result.toolCallId) && this.#results.get(result.toolCallId) === result) return undefined;
    const { output } = result;
    const said = textOfOutput(output);
    return `[The result of a call of ${result.toolName} that is not shown here:]\n${said}`;
  }

  /** A reply with the results of its calls behind it. */
  messages(reply: ShapedReply): readonly (Reply | Results)[] {
    const ids = reply.calls.map(({ providerId }, at) => this.#ids.next(reply.ids[at] ?? '', providerId));
    const results = reply.calls.map(({ toolCallId }) => this.#results.get(toolCallId));
    const repeated = this.#repeated(reply);
    const isCrowded = this.out.size > 0 && results.some((one) => one?.files.some(({ part }) => this.out.has(part)));
    if (repeated.size > 0 || isCrowded || reply.content.some((part) => 'file' in part)) {
      const content = reply.content.filter((part) => !repeated.has(part));
      return this.#write({ ...reply, content }, ids, results);
    }
    const last = written.get(reply);
    if (last && same(last.ids, ids) && same(last.results, results)) return last.messages;
    const messages = this.#write(reply, ids, results);
    written.set(reply, { ids, results, messages });
    return messages;
  }

  /**
   * The parts of a reply that an earlier reply has: OpenAI takes an item once, and so it is
   * with the id of a call that a provider ran.
   */
  #repeated({ content }: ShapedReply): ReadonlySet<ShapedReplyPart> {
    const items = new Map<ShapedReplyPart, string>();
    for (const part of content) {
      if (!('type' in part)) continue;
      if (part.type === 'tool-call' || part.type === 'tool-result') items.set(part, part.toolCallId);
      if (part.type !== 'reasoning' || this.profile.thoughts !== 'sealed by openai') continue;
      const item = itemOf(part.providerOptions);
      if (item !== undefined) items.set(part, item);
    }
    if (items.size === 0) return NONE;
    const repeated = new Set<ShapedReplyPart>();
    for (const [part, item] of items) if (this.#items.has(item)) repeated.add(part);
    for (const item of items.values()) this.#items.add(item);
    return repeated;
  }

  #write(
    { content }: ShapedReply,
    ids: readonly string[],
    results: readonly (ShapedResult | undefined)[],
  ): readonly (Reply | Results)[] {
    const messages: (Reply | Results)[] = [];
    let reply: Reply['content'] = [];
    let answers: Results['content'] = [];
    const flush = (): void => {
      messages.push({ role: 'assistant', content: reply });
      if (answers.length > 0) messages.push({ role: 'tool', content: answers });
      reply = [];
      answers = [];
    };
    let index = 0;
    for (const part of content) {
      const { mostCalls, wordsWithCalls } = this.profile;
      if (!('call' in part)) {
        if (!wordsWithCalls && answers.length > 0) flush();
        reply.push('file' in part ? this.#file(part) : part);
        continue;
      }
      const isWordsAlone = reply.length > 0 && answers.length === 0;
      if (answers.length >= mostCalls || (!wordsWithCalls && isWordsAlone)) flush();
      const toolCallId = ids[index] ?? '';
      reply.push({ ...part.made, toolCallId });
      answers.push(this.#result(part, toolCallId, results[index]));
      index++;
    }
    flush();
    return messages;
  }

  /** The files of the results of a reply, where they stand behind them. */
  filesOf({ calls }: ShapedReply): UserPart[] {
    return calls.flatMap(({ toolCallId }) => this.#results.get(toolCallId)?.after ?? []);
  }

  #file({ file, options }: ShapedFile): Reply['content'][number] {
    const data = 'path' in file ? this.files.get(file.path) : undefined;
    if (data === undefined) return { type: 'text', text: madeText(file) };
    return { type: 'file', mediaType: file.mediaType, data: { type: 'data', data }, ...options };
  }

  #placed(output: Output | undefined): Output | undefined {
    if (output?.type !== 'content' || this.out.size === 0) return output;
    return {
      ...output,
      value: output.value.map((part) =>
        part.type === 'custom' ? part : (this.out.get(part as UserPart)?.part ?? part),
      ),
    };
  }

  #result({ call, made }: ShapedCall, toolCallId: string, result: ShapedResult | undefined): ResultPart {
    return {
      type: 'tool-result',
      toolCallId,
      toolName: made.toolName,
      output: this.#placed(result?.output) ?? { type: 'error-text', value: NO_RESULT },
      // A result carries the metadata of its call: some providers pair the two by it.
      ...optionsOf(call.providerMetadata, this.profile),
    };
  }
}

/** An output in words. A file is no text. */
function textOfOutput(output: Output): string {
  if (output.type === 'content')
    return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return output.type === 'text' ? output.value : JSON.stringify('value' in output ? output.value : null);
}

const same = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((item, at) => item === other[at]);

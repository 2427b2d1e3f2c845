/**
 * The order of speakers: roles as a provider takes them, in an order that it takes.
 *
 * Decides: the form of a later message of the role `system`; the note between two messages that may not follow each other.
 * Keeps M69, M70, M115.
 */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { noticeOptions } from '../origin';
import type { Profile } from './profile';
import type { UserPart } from './shape';

/** The mark before a message of the role `system` that is sent as one of the user. */
const SYSTEM_MARK = '[Message of the system, not of the user:]';

/** The notes in place of a message that a provider requires. */
const BEGIN = '[The conversation begins here.]';
const CONTINUE = '[Continue.]';
const NOTED = '[Noted.]';

/** Puts messages together, one behind the other. */
export class Turns {
  readonly #prompt: LanguageModelV4Prompt = [];
  /** Messages of the role `system` before all others. */
  readonly #leading: number;

  constructor(
    systems: readonly string[],
    readonly profile: Profile,
  ) {
    const leading = profile.oneSystem && systems.length > 1 ? [systems.join('\n\n')] : systems;
    for (const content of leading) this.#prompt.push({ role: 'system', content });
    this.#leading = this.#prompt.length;
  }

  system(content: string): void {
    if (this.profile.laterSystem === 'user') return this.user([marked(content)]);
    this.#prompt.push({ role: 'system', content });
  }

  /** A message of the user, or what Offshoot says in that role. */
  user(content: UserPart[], isNotice = false): void {
    const last = this.#last();
    if (this.profile.alternates && last?.role === 'tool')
      this.#prompt.push({ role: 'assistant', content: [{ type: 'text', text: NOTED }] });
    if (this.profile.alternates && last?.role === 'user') this.#prompt.pop();
    const before = this.profile.alternates && last?.role === 'user' ? last.content : [];
    const several = before.length + content.length > 1;
    const parts = this.profile.alternates && several ? joined([...before, ...content]) : content;
    const mark = isNotice && this.profile.marksNotices ? { providerOptions: noticeOptions() } : {};
    this.#prompt.push({ role: 'user', content: parts, ...mark });
  }

  /** A reply, with the results of its calls. */
  reply(messages: readonly LanguageModelV4Message[]): void {
    this.#hear();
    for (const message of messages) this.#prompt.push(message);
  }

  /** The whole prompt. */
  end(): LanguageModelV4Prompt {
    this.#hear();
    return this.profile.laterSystem === 'before-reply' ? this.#placed() : this.#prompt;
  }

  /** Adds a message of the user before a reply: newer models refuse to continue their own reply. */
  #hear(): void {
    const last = this.#last();
    if (last === undefined) this.user([{ type: 'text', text: BEGIN }], true);
    else if (last.role === 'assistant') this.user([{ type: 'text', text: CONTINUE }], true);
  }

  #last(): LanguageModelV4Message | undefined {
    return this.#prompt.length > this.#leading ? this.#prompt.at(-1) : undefined;
  }

  /**
   * The prompt with messages of the role `system` where they may stand; the others are of the user. Without a system
   * prompt all are: `@ai-sdk/anthropic` 4 would make the first of them the system prompt.
   */
  #placed(): LanguageModelV4Prompt {
    const placed: LanguageModelV4Prompt = [];
    for (const [at, message] of this.#prompt.entries()) {
      const before = placed.at(-1)?.role;
      const after = this.#prompt[at + 1]?.role;
      const stays =
        message.role !== 'system' ||
        at < this.#leading ||
        (this.#leading > 0 &&
          (before === 'user' || before === 'tool') &&
          (after === undefined || after === 'assistant'));
      placed.push(stays ? message : { role: 'user', content: [marked(message.content)] });
    }
    return placed;
  }
}

const marked = (content: string): UserPart => ({ type: 'text', text: `${SYSTEM_MARK}\n${content}` });

/** Parts of which no two texts follow each other: some servers take one text alone. */
function joined(parts: readonly UserPart[]): UserPart[] {
  const made: UserPart[] = [];
  for (const part of parts) {
    const last = made.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      made[made.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` };
    else made.push(part);
  }
  return made;
}

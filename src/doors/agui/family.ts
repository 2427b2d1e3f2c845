/**
 * The agents of a tree, as sub-agents of a run.
 *
 * AU5. A sub-agent is announced once, after those above it, before anything of its work; its id is that of its session,
 *      and of its task from the second one on, so that it is the same in every run that shows it.
 */
import type { BodyOf, Chunk } from '../../protocol/chunks';
import type { Json } from '../../protocol/json';
import type { AguiEvent, Interrupt, OwnedEvent } from './events';
import { Lane } from './lane';

/** An agent at one of its tasks. */
export interface Member {
  /** Undefined for the root. */
  readonly tag: string | undefined;
  readonly name: string;
  readonly address: string;
  readonly parent: Member | undefined;
  readonly callId: string | undefined;
  readonly lane: Lane;
  /** `over`: it ended, whether or not that was shown. */
  state: 'unseen' | 'announced' | 'over';
}

/** The end of a sub-agent. */
type End =
  | { readonly success: true; readonly result: Json | undefined }
  | { readonly success: false; readonly code: string; readonly message: string };

/** All of them, with what was said of them. */
export class Family {
  readonly #byId = new Map<string, Member>();
  readonly #byTag = new Map<string, Member>();
  readonly #announcing = new Set<Member>();

  constructor(
    readonly root: string,
    readonly emit: (event: AguiEvent) => void,
  ) {}

  /** The agent that a chunk is of. */
  of({ agentId, agentType, address }: Chunk): Member {
    const known = this.#byId.get(agentId);
    if (known) return known;
    const tag = address === this.root ? undefined : agentId;
    return this.#add(agentId, { tag, name: agentType, address, parent: undefined, callId: undefined });
  }

  /** A task of a sub-agent begins. */
  begin(
    parent: Member,
    { subSessionId, subAgentType, subAddress, name, callId, task }: BodyOf<'subagent_start'>,
  ): Member {
    const before = this.#byId.get(subSessionId);
    if (before !== undefined && before.tag === undefined) return before;
    const tag = task > 1 ? `${subSessionId}.${task}` : subSessionId;
    const same = this.#byTag.get(tag);
    if (same) return same;
    if (before) this.#close(before, { success: true, result: undefined });
    return this.#add(subSessionId, { tag, name: name ?? subAgentType, address: subAddress, parent, callId });
  }

  /** The sub-agent of a session, if it was seen. */
  known(sessionId: string): Member | undefined {
    return this.#byId.get(sessionId);
  }

  /** The newest agent at an address. */
  at(address: string): Member | undefined {
    return [...this.#byTag.values()].findLast((member) => member.address === address);
  }

  /** Says that a sub-agent works, once. */
  announce(member: Member): void {
    const { tag, name, parent, callId } = member;
    if (tag === undefined || member.state !== 'unseen' || this.#announcing.has(member)) return;
    this.#announcing.add(member);
    if (parent) this.announce(parent);
    this.#announcing.delete(member);
    const above = parent?.tag !== undefined && parent.state === 'announced' ? parent.tag : undefined;
    member.state = 'announced';
    this.emit({
      type: 'SUBAGENT_STARTED',
      subagentRunId: tag,
      name,
      ...(above === undefined ? {} : { parentSubagentRunId: above }),
      ...(callId === undefined ? {} : { parentToolCallId: callId }),
    });
  }

  /** Ends a sub-agent. */
  end(member: Member, end: End): void {
    if (member.tag !== undefined) this.#close(member, end);
  }

  /** Ends what is open in a run that ends: the deepest first. Who is still at work, or waits, is suspended. */
  finish(interrupts: readonly Interrupt[]): void {
    for (const { subagentRunId } of interrupts) {
      const member = subagentRunId === undefined ? undefined : this.#byTag.get(subagentRunId);
      if (member) this.announce(member);
    }
    for (const { lane } of this.#byId.values()) lane.endStep();
    for (const member of [...this.#byTag.values()].toReversed()) {
      const { tag, state } = member;
      if (tag === undefined || state !== 'announced') continue;
      const interruptIds = interrupts.filter((one) => one.subagentRunId === tag).map(({ id }) => id);
      this.emit({ type: 'SUBAGENT_FINISHED', subagentRunId: tag, outcome: { type: 'suspended', interruptIds } });
      member.state = 'over';
    }
  }

  #add(sessionId: string, facts: Omit<Member, 'lane' | 'state'>): Member {
    const { tag } = facts;
    const owned = (event: OwnedEvent): OwnedEvent => (tag === undefined ? event : { ...event, subagentRunId: tag });
    const member: Member = { ...facts, state: 'unseen', lane: new Lane((event) => this.emit(owned(event))) };
    this.#byId.set(sessionId, member);
    if (tag !== undefined) this.#byTag.set(tag, member);
    return member;
  }

  #close(member: Member, end: End): void {
    const { tag, lane, state } = member;
    if (tag === undefined) return;
    lane.endStep();
    member.state = 'over';
    if (state !== 'announced') return;
    if (end.success)
      this.emit({
        type: 'SUBAGENT_FINISHED',
        subagentRunId: tag,
        ...(end.result === undefined ? {} : { result: end.result }),
        outcome: { type: 'success' },
      });
    else this.emit({ type: 'SUBAGENT_ERROR', subagentRunId: tag, message: end.message, code: end.code });
  }
}

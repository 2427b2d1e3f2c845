/**
 * The root's one alarm, and whom it wakes.
 *
 * Decides: when the alarm rings; who is woken.
 *
 * RT2. The alarm is derived from the record: a beat of 5 s while anybody works, or the next deadline. Who waits for a
 *     person has none but that of the answer.
 * B10. Where all who work rest up to a time, such as that of their next request to a model, the alarm rings then and not before.
 * CB4. Work of a capability that has a time is due by the alarm alone, also at an agent at rest.
 * RT3. The alarm only wakes: who works in silence is told to go on, which is harmless when it does already.
 * RT7. A child that ended and was lost from memory before its parent heard so is woken to tell it.
 * RT8. A parent at rest that gave a child up, and was lost before it told so, is told.
 */
import { keyOf } from '../../core/agent/children/child';
import { isLookedAfter, nextDeadline, overdue, waitsUntil } from '../../core/tree/clocks';
import type { Dues } from '../../core/tree/merge';
import { type ChildNode, hasBegun, isAbandoned, type TreeNode } from '../../core/tree/node';
import { removalAt } from '../../core/tree/removed-agents';
import {
  type AgentAnswer,
  type AgentMessage,
  lostChild,
  NEWS,
  overdueChild,
  overdueRoot,
  strayChild,
} from '../tree-messages';
import type { TreeRecord } from './record';

/** While anybody works the alarm comes at least this often, in ms. */
const BEAT_MS = 5_000;
/** Who has been silent for so long, in ms, is woken: with the beat less than the 10 s after which the platform drops what is idle. */
const SILENCE_MS = 2_500;
/** After so long, in ms, those above an agent that rests are asked whether they rest, too. */
const ASK_MS = 50;

/** What becomes of what an alarm finds out. */
export interface WakeUpsOwner {
  /** Whether the directory is owed a report. */
  owesReport(): boolean;
  /** An agent is gone, or nobody wants it: it is to end with all below it. */
  drop(node: ChildNode): void;
  /** The parent of this agent has what the agent had for it. */
  delivered(sessionId: string): void;
  /** The next scheduled effect of an agent is due then, and not when its record says; undefined where it has none. */
  rescheduled(node: TreeNode, dues: Dues): void;
}

/** Sets the alarm, and acts when it comes. */
export class WakeUps {
  readonly #heard = new Map<string, number>();
  /** Those whose wait has ended, and who were told so. */
  #expired: ReadonlySet<string> = new Set();
  /** Those whose scheduled effects were due, and who were told so. */
  #due: ReadonlySet<string> = new Set();
  /** Those whose last run has ended, and whose parents are not known to have heard so, by session. */
  readonly #untold = new Set<string>();
  /** Those below an agent that was ended for good whose parents were told to stop them. */
  #strayed: ReadonlySet<number> = new Set();
  /** Until when agents do nothing by themselves, by session; in memory alone: who is woken for nothing says so again. */
  readonly #rests = new Map<string, number>();
  /** The newest unanswered call that wakes an agent, by session. Whatever passes between the two meanwhile makes its answer old. */
  readonly #waking = new Map<string, object>();
  #asking = false;
  #armed = 0;

  constructor(
    readonly record: TreeRecord,
    readonly owner: WakeUpsOwner,
  ) {}

  /** An agent has said something. */
  heard(sessionId: string, now: number, rests?: number): void {
    this.#heard.set(sessionId, now);
    this.#waking.delete(sessionId);
    if (rests === undefined) this.#rests.delete(sessionId);
    else this.#restsUntil(sessionId, rests);
  }

  /** An agent is sent something: an agent that rested until its next message rests no longer. */
  disturbed(sessionId: string): void {
    this.#waking.delete(sessionId);
    if (this.#rests.get(sessionId) !== NEWS) return;
    this.#rests.delete(sessionId);
    this.arm();
  }

  /** An agent above it may have nothing to do but to wait for it, so all others at work are asked. */
  #restsUntil(sessionId: string, until: number): void {
    this.#rests.set(sessionId, until);
    if (this.#asking) return;
    this.#asking = true;
    const { index, deps } = this.record;
    deps.environment.timer(ASK_MS, () => {
      this.#asking = false;
      for (const node of [...index.at('working').values()]) if (!this.#rests.has(node.sessionId)) this.#wake(node);
    });
  }

  /** True in `all` where every agent at work rests; `next` is the first time at which one continues. */
  #resting(now: number): { readonly all: boolean; readonly next: number } {
    const { index } = this.record;
    const working = index.at('working');
    if (this.#rests.size === 0) return { all: working.size === 0, next: Number.POSITIVE_INFINITY };
    let [all, next] = [true, Number.POSITIVE_INFINITY];
    for (const node of working.values()) {
      const until = this.#rests.get(node.sessionId) ?? 0;
      if (until <= now) all &&= isLookedAfter(index, node);
      else if (until !== NEWS) next = Math.min(next, until);
    }
    return { all: all && (next < Number.POSITIVE_INFINITY || working.size === 0), next };
  }

  /** A child's run has ended; until its parent has heard so the child is looked after: it may be lost before it tells. */
  ended(sessionId: string): void {
    this.#untold.add(sessionId);
  }

  /** The parent of a child has heard what the child said last. */
  told(sessionId: string): void {
    this.#untold.delete(sessionId);
  }

  /** Sets the alarm for what the record says is due next; where that is nothing, takes back what was set in this life. */
  arm(): void {
    const { index, waiting, pendingRemovals, unerased, deps } = this.record;
    const now = deps.environment.now();
    const top = index.root()?.top ?? { pendingRemovals };
    const isRemoved = index.root()?.top.removing !== undefined;
    const removals = [
      ...pendingRemovals.map((address) => removalAt(top, address)),
      ...unerased.map(({ tries }) => tries?.nextAt),
    ];
    const owing =
      isRemoved ||
      index.undelivered.size > 0 ||
      this.owner.owesReport() ||
      removals.includes(undefined) ||
      deps.isSweeping();
    // Those that are due are being tried.
    const removal = Math.min(...removals.map((at = now) => (at > now ? at : now + BEAT_MS)));
    const resting = this.#resting(now);
    const busy = owing || this.#untold.size > 0 || !resting.all;
    const answers = waiting.nextExpiry(now, BEAT_MS) ?? Number.POSITIVE_INFINITY;
    const waits = waitsUntil(index).map(({ id, until }) =>
      this.#expired.has(`${id} ${until}`) ? now + BEAT_MS : Math.max(now, until),
    );
    const scheduled = isRemoved ? [] : [...index.withEffects()];
    const dues = scheduled.map(({ id, effectAt }) =>
      this.#due.has(`${id} ${effectAt}`) ? now + BEAT_MS : Math.max(now, effectAt),
    );
    const strays = isRemoved ? [] : index.strays();
    const isNew = strays.some(({ id }) => !this.#strayed.has(id));
    const beat = isNew ? now : busy || strays.length > 0 ? now + BEAT_MS : Number.POSITIVE_INFINITY;
    const time = Math.min(
      beat,
      resting.next,
      removal,
      answers,
      ...waits,
      ...dues,
      nextDeadline(index, now) ?? Number.POSITIVE_INFINITY,
    );
    if (time === Number.POSITIVE_INFINITY) return this.#disarm();
    // A beat that nobody needs any more would keep the tree in memory.
    const isBeat = busy || time - this.#armed <= BEAT_MS;
    if (this.#armed > now && this.#armed <= time && isBeat) return;
    this.#armed = time;
    deps.arm(time);
  }

  #disarm(): void {
    if (this.#armed === 0) return;
    this.#armed = 0;
    this.record.deps.arm(undefined);
  }

  /** The alarm has come: whose time is up is stopped, who is silent is told to go on. Call `arm` after it. */
  alarm(): void {
    this.#armed = 0;
    const { index, waiting, deps } = this.record;
    const now = deps.environment.now();
    for (const node of overdue(index, now)) {
      if (node.kind === 'root') {
        this.send(node, overdueRoot(node.timeoutMs));
        continue;
      }
      const parent = index.parentOf(node);
      if (parent) this.send(parent, overdueChild(keyOf(node), node.task.timeoutMs));
    }
    this.#endStrays();
    for (const id of waiting.expired(now)) {
      const owner = index.get(id);
      if (owner) this.send(owner, { type: 'expire' });
    }
    this.#endWaits(now);
    this.#beginEffects(now);
    for (const node of [...index.undelivered.values()]) {
      if (isAbandoned(node)) this.#tellLost(node);
      else if (node.schedule.phase !== 'working') this.#wake(node);
    }
    const { all } = this.#resting(now);
    for (const node of [...index.at('working').values()]) {
      if (isLookedAfter(index, node)) continue;
      const until = this.#rests.get(node.sessionId);
      const rests = until !== undefined && until > now && (all || until !== NEWS);
      if (!rests && (until !== undefined || this.#isSilent(node.sessionId, now))) this.#wake(node);
    }
    for (const sessionId of this.#untold) {
      const node = index.childBySession(sessionId);
      if (node?.schedule.phase !== 'ended') this.#untold.delete(sessionId);
      else if (this.#isSilent(sessionId, now)) this.#wake(node);
    }
  }

  /** Those that work on below an agent that is over for good are stopped by their parents, which are at rest (SAQ13, CO32). */
  #endStrays(): void {
    const { index } = this.record;
    const strays = index.strays();
    this.#strayed = new Set(strays.map(({ id }) => id));
    for (const node of strays) {
      const parent = index.parentOf(node);
      if (parent) this.send(parent, strayChild(keyOf(node), index.whyOver(parent) ?? 'ended'));
    }
  }

  #isSilent(sessionId: string, now: number): boolean {
    return now - (this.#heard.get(sessionId) ?? 0) >= SILENCE_MS;
  }

  /** Whoever waits for sub-agents up to a time that has come is told so, and again with the next beat where that is lost. */
  #endWaits(now: number): void {
    const { index } = this.record;
    const due = waitsUntil(index).filter(({ until }) => until <= now);
    this.#expired = new Set(due.map(({ id, until }) => `${id} ${until}`));
    for (const id of new Set(due.map((one) => one.id))) {
      const node = index.get(id);
      if (node) this.send(node, { type: 'expire' });
    }
  }

  /** Whose scheduled effects are due is told so, and again with each beat until it says that they are done. */
  #beginEffects(now: number): void {
    const due = [...this.record.index.withEffects()].filter(({ effectAt }) => effectAt <= now);
    this.#due = new Set(due.map(({ id, effectAt }) => `${id} ${effectAt}`));
    for (const { effectAt, ...node } of due) {
      const told = this.record.deps.send(node.address, { type: 'effects_due', sessionId: node.sessionId });
      const settled = told.then((answer) => {
        const next: Dues = answer.answer === 'done' ? answer : {};
        const known = this.record.index.get(node.id);
        // What it has told meanwhile is newer than its answer.
        if (answer.answer !== 'refused' && next.effectAt !== effectAt && known?.effectAt === effectAt)
          this.owner.rescheduled(known, next);
      });
      settled.catch((error: unknown) =>
        this.#report(`The pending work of ${node.address} is not known; the alarm tries again.`, error),
      );
    }
  }

  /** Sends a message that the alarm sends again where it is lost. */
  send(node: TreeNode, message: AgentMessage): void {
    this.disturbed(node.sessionId);
    this.record.deps.send(node.address, message).catch((error: unknown) => {
      this.#report(`The agent ${node.address} could not be reached; the alarm tries again.`, error);
    });
  }

  #report(what: string, error: unknown): void {
    this.record.deps.environment.report(what, error);
  }

  #wake(node: TreeNode): void {
    const call = {};
    this.#waking.set(node.sessionId, call);
    this.record.deps.send(node.address, { type: 'wake', sessionId: node.sessionId }).then(
      (answer) => {
        // Whoever is in memory tells what it has to tell by itself.
        this.#untold.delete(node.sessionId);
        const isNewest = this.#waking.get(node.sessionId) === call;
        if (isNewest) this.#waking.delete(node.sessionId);
        if (isNewest) this.#answered(node.sessionId, answer);
        const isAtRest = this.record.index.get(node.id)?.schedule.phase === 'ended';
        if (answer.answer === 'done' && answer.told && isAtRest) this.owner.delivered(node.sessionId);
        if (answer.answer === 'absent') this.#absent(node);
      },
      (error: unknown) => {
        if (this.#waking.get(node.sessionId) === call) this.#waking.delete(node.sessionId);
        this.#report(`The agent ${node.address} could not be woken; the alarm tries again.`, error);
      },
    );
  }

  /** An agent that was woken for nothing rests, which counts while others rest up to a time. */
  #answered(sessionId: string, answer: AgentAnswer): void {
    const isAtWork = this.record.index.bySession(sessionId)?.schedule.phase === 'working';
    const rests = answer.answer === 'done' && isAtWork ? answer.effectAt : undefined;
    if (rests === undefined) this.#rests.delete(sessionId);
    else if (rests !== NEWS || this.#rests.size > 0) this.#rests.set(sessionId, rests);
    if (this.#rests.size > 0) this.arm();
  }

  /** A parent that gave a child up was lost before it told so: it is told. */
  #tellLost(node: ChildNode): void {
    const parent = this.record.index.parentOf(node);
    const told = parent ? this.record.deps.send(parent.address, lostChild(keyOf(node))) : Promise.resolve();
    told
      .then(() => this.owner.delivered(node.sessionId))
      .catch((error: unknown) =>
        this.#report(`The end of ${node.address} could not be reported; the alarm tries again.`, error),
      );
  }

  /** Nobody is where an agent should work: if it had begun it is lost, else its parent begins it again. */
  #absent(node: TreeNode): void {
    const { index, deps } = this.record;
    const parent = index.parentOf(node);
    if (node.kind === 'root' || parent === undefined) return;
    const isLost = hasBegun(node);
    const message = isLost ? lostChild(keyOf(node)) : ({ type: 'admitted', childIds: [node.childId] } as const);
    const heard = (answer: AgentAnswer): void => {
      // It leaves the record after its parent has heard of it, so that the alarm tries again until then.
      const now = this.record.index.get(node.id);
      const begun = now !== undefined && hasBegun(now);
      if (isLost || (answer.answer === 'absent' && !begun)) this.owner.drop(node);
      if (isLost) this.owner.delivered(node.sessionId);
    };
    deps
      .send(parent.address, message)
      .then(heard)
      .catch((error: unknown) =>
        this.#report(`The agent ${node.address} could not be abandoned; the alarm tries again.`, error),
      );
  }
}

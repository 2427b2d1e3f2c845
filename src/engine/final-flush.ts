/**
 * The final flush: a child that its parent stops answers with its end and all that the root has not heard of it. The
 * parent takes that of all its children to the root in one call. design/flows.md draws it ("A stop and its final flush");
 * why it is so is decision 19.
 *
 * It is the fast way, never the only one: the child sends the same by its own way a little later (OB5), and what is lost
 * here is only late.
 */
import type { Environment } from './environment';
import type { RootLink } from './root-link';
import { type Delivery, isMerged, type RootRequest } from './tree-messages';

/** A parent that stops an agent is answered at its end, but within so long, in ms. */
const ANSWER_WITHIN_MS = 1_000;

/** After so long, in ms, a child itself sends what its parent took: the answer of the root is its acknowledgement. */
export const FLUSHED_AGAIN_MS = 1_000;

/** The relay of the flushes is awaited so long, in ms; then each child has a separate clock. */
const RELAYED_WITHIN_MS = 1_000;

/** Final flushes of children wait so long for others, in ms, so that they go to the root together. */
const GATHER_MS = 10;

/** At the child: the answer to the stop of its parent, which is its final flush where its end comes soon. */
export class StopAnswer {
  #give: ((flush: RootRequest | undefined) => void) | undefined;

  constructor(readonly environment: Environment) {}

  /** Whether a parent waits for the end. */
  get isAwaited(): boolean {
    return this.#give !== undefined;
  }

  /**
   * Waits for the end of what `stop` stops, for a bounded time; `stop` says whether there is anything to wait for. Gives
   * the final flush, or nothing where the child goes its own way.
   */
  async after(stop: () => boolean): Promise<RootRequest | undefined> {
    this.give(undefined);
    const given = new Promise<RootRequest | undefined>((resolve) => {
      this.#give = resolve;
    });
    if (!stop()) this.give(undefined);
    // Most ends come in the turn of the stop: those need no clock.
    const cancel = this.isAwaited
      ? this.environment.timer(ANSWER_WITHIN_MS, () => this.give(undefined))
      : () => undefined;
    const flush = await given;
    cancel();
    return flush;
  }

  /** Answers the parent that waits, if one does. */
  give(flush: RootRequest | undefined): void {
    this.#give?.(flush);
    this.#give = undefined;
  }
}

/** The parent, as far as it relays final flushes. */
interface RelayingAgent {
  readonly environment: Environment;
  readonly link: Pick<RootLink, 'relay' | 'taken'>;
  takeEnds(ends: readonly Delivery[]): Promise<void>;
}

/** At the parent: gathers the final flushes of the children that it stops, and relays them together. */
export class FlushRelay {
  #flushes: RootRequest[] = [];
  #cancel: (() => void) | undefined;
  #relayed = Promise.withResolvers<void>();

  constructor(
    readonly agent: RelayingAgent,
    /** How many children have not answered yet. */
    private open: number,
  ) {}

  /**
   * Takes the answer of a child, perhaps with its final flush. Resolves when that was relayed and its end was taken, or
   * after a time; an end that hooks are asked about is taken later.
   */
  answered(flush?: RootRequest): Promise<void> {
    const { promise } = this.#relayed;
    this.open--;
    if (flush) this.#flushes.push(flush);
    if (this.#flushes.length === 0) return Promise.resolve();
    if (this.open > 0) this.#cancel ??= this.agent.environment.timer(GATHER_MS, () => this.#send());
    else this.#send();
    return flush ? promise : Promise.resolve();
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const [flushes, { resolve }] = [this.#flushes, this.#relayed];
    this.#flushes = [];
    this.#relayed = Promise.withResolvers();
    // One clock for all of them: a root that is silent holds nobody up.
    const cancel = this.agent.environment.timer(RELAYED_WITHIN_MS, resolve);
    this.#relay(flushes, resolve)
      .catch((error: unknown) => this.agent.environment.report('The ends of sub-agents could not be handed on.', error))
      .finally(() => {
        cancel();
        resolve();
      });
  }

  async #relay(flushes: readonly RootRequest[], taken: () => void): Promise<void> {
    const { agent } = this;
    // What they deliver is taken here, together: the root has nothing to hand on.
    const answers = await agent.link.relay(flushes.map((flush) => ({ ...flush, deliver: [] })));
    const merged = flushes.filter((flush, at) => isMerged(flush, answers[at]));
    const taking = agent.takeEnds(merged.flatMap(({ deliver }) => deliver));
    taken();
    await taking;
    agent.link.taken?.(merged);
  }
}

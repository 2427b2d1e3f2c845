/**
 * The port to a child, wherever it lives: each placement has one adapter, and every adapter passes one contract suite.
 * What is said is not the port's: it carries any messages that are plain data with a `kind`.
 *
 * Keeps CT1, CT2, CT3, CT4, CT5, CT6.
 */
import type { Placement, Via } from '../agent/children/placement';
import type { RemoteRow } from './agent-store';

/** A child, as far as its parent must know it to reach it. */
export interface ChildRef {
  /** Its session: an object of its own is found by it. */
  readonly sessionId: string;
  readonly address: string;
  readonly placement: Placement;
}

/** What can be said to a child: for each kind of message, the message and its answer. */
export type Messages = {
  readonly [kind: string]: { readonly message: { readonly kind: string }; readonly answer: object };
};

/** How the parent of a child reaches it. */
export interface ChildTransport<Said extends Messages> {
  /**
   * Sends a message, and makes the child if it is not there. What several calls send to one child gets there in the order
   * of the calls; each is answered for itself.
   * The message stays as it is until this settles; the answer is the caller's own and holds nothing of the child's object.
   * What a child refuses is an answer. @throws whatever went wrong on the way where no answer came: the child was not
   * reached, or its answer was lost, and nobody can tell which. So messages are such that sending one again is harmless;
   * the port itself never does.
   */
  send<Kind extends keyof Said>(
    child: ChildRef,
    message: Said[Kind]['message'] & { readonly kind: Kind },
  ): Promise<Said[Kind]['answer']>;
  /**
   * Removes a child with its store and everything below it; harmless where it is gone already. Once this has resolved its
   * place may be used again, by a newer generation; until then nothing may be sent there, and a generation that has been
   * followed by another may not be removed any more. @throws where it may still be there; then try again.
   */
  remove(child: ChildRef): Promise<void>;
  /**
   * Makes a child with what the store of another one holds at this moment, and with copies of everything below that one.
   * Harmless where the child is there already, or was said to be due. What it holds is not its own until it is told so: it
   * must not go on with it. @returns whether either of them is there: without an original nothing is made
   * @throws where it may not have been made; then try again
   */
  copy(source: ChildRef, child: ChildRef): Promise<boolean>;
  /**
   * Says that these children are about to be made, so that many can be made fast. Makes none of them, and may be left out.
   * @throws where nothing was prepared; the children are made all the same when they are sent to.
   */
  prepare?(due: readonly ChildRef[]): Promise<void>;
}

/** The transport of each placement: a placement without one does not compile. */
export type Transports<Said extends Messages> = { readonly [via in Via]: ChildTransport<Said> };

/** That of children elsewhere, which are at work in the object of their parent and owe things that nobody else asks for. */
export interface ElsewhereTransport<Said extends Messages> extends ChildTransport<Said> {
  /** Goes on with what is owed; harmless where that is under way. */
  open(): void;
  /** When what is owed to children that have left their places is due next, in ms since 1970; undefined where nothing is. */
  owedAt(): number | undefined;
  /** All places are given up, to be paid for by another object: what is owed, each with the name of the agent whose way it is. */
  leave(by: string): RemoteRow[];
  /** What another object owed is owed here from now on; `open` goes on with it. */
  adopt(owed: readonly RemoteRow[]): void;
  /** Gives up all places, and resolves once nothing is owed. */
  paid(): Promise<void>;
  /** Ends everything in memory: nothing is sent or kept from then on. */
  stop(): void;
}

/** Those of the placements that the host knows: what reaches children elsewhere comes with their definitions (`engine/children-elsewhere`). */
export type HostTransports<Said extends Messages> = Omit<Transports<Said>, 'remote'>;

/** One transport for all children: each is reached by that of its placement. */
export function byPlacement<Said extends Messages>(transports: Transports<Said>): Required<ChildTransport<Said>> {
  return {
    send: (child, message) => transports[child.placement.via].send(child, message),
    remove: (child) => transports[child.placement.via].remove(child),
    copy: (source, child) => transports[child.placement.via].copy(source, child),
    async prepare(due) {
      const ways = new Set(due.map(({ placement }) => placement.via));
      const prepared = [...ways].map((via) =>
        transports[via].prepare?.(due.filter(({ placement }) => placement.via === via)),
      );
      await Promise.all(prepared);
    },
  };
}

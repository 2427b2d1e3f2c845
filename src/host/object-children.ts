/**
 * Children in objects of their own: top-level Durable Objects of the class, found by the child's session (decision 55).
 *
 * OP1. A name that no address can spell: no root is called so, and no request from outside reaches it.
 */
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import { type ChildCalls, NOTHING_HERE, type ObjectStub } from '../engine/object/object-calls';
import { ownCopy } from './own-copy';

/** A root's name has no colon. */
const PREFIX = 'child:';
/** Waits before an object is asked again that was just leaving memory, in ms: it is made anew then. */
const AGAIN_MS = [50, 100, 200, 500];
/** An object that is to be erased may take so long, in ms; then its removal is tried again. */
const ERASE_MS = 30_000;

/** What the object of a child is called. */
export function objectName({ sessionId }: Pick<ChildRef, 'sessionId'>): string {
  return `${PREFIX}${sessionId}`;
}

/** Whether an object of that name is a child's. */
export function isChildObject(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** A child's own object, as the platform gives it. */
export interface AloneStub extends ObjectStub {
  offshootErase(): Promise<void>;
}

/** A stub while calls go by it: those of one stub arrive in order. */
interface InUse {
  readonly stub: AloneStub;
  calls: number;
}

/** Reaches and erases the children in objects of their own. The first call makes an object. */
export class ObjectChildren implements ChildTransport<ChildCalls> {
  readonly #used = new Map<string, InUse>();

  /** @param stubOf the object of a class and a name. @throws Error for a class that has no objects */
  constructor(readonly stubOf: (className: string, name: string) => AloneStub) {}

  send<Kind extends keyof ChildCalls>(
    child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    return again(() => this.#by(child, async (stub) => ownCopy(await stub.offshoot(message))));
  }

  async #by<Answer>(child: ChildRef, call: (stub: AloneStub) => Promise<Answer>): Promise<Answer> {
    const name = objectName(child);
    const used = this.#used.get(name) ?? { stub: this.#stub(child), calls: 0 };
    this.#used.set(name, used);
    used.calls++;
    try {
      return await call(used.stub);
    } catch (error) {
      // It may be broken for good.
      this.#forget(name, used);
      throw error;
    } finally {
      used.calls--;
      if (used.calls === 0) this.#forget(name, used);
    }
  }

  #forget(name: string, used: InUse): void {
    if (this.#used.get(name) === used) this.#used.delete(name);
  }

  async remove(child: ChildRef): Promise<void> {
    this.#used.delete(objectName(child));
    const erased = this.#stub(child).offshootErase();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The agent ${child.address} was not erased in time.`)), ERASE_MS);
    });
    await Promise.race([erased, late]).finally(() => clearTimeout(timer));
  }

  /** The memory of a top-level object cannot be cloned. */
  copy(): Promise<boolean> {
    return Promise.resolve(false);
  }

  #stub(child: ChildRef): AloneStub {
    return this.stubOf(child.placement.className, objectName(child));
  }
}

/** What met an object that was leaving changed nothing there, and is sent again. */
async function again<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    try {
      return await send();
    } catch (error) {
      const wait = AGAIN_MS[tries];
      if (wait === undefined || !String(error).includes(NOTHING_HERE)) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/**
 * The parts of capabilities in one object: calls and messages of their own, and a memory that has come to the object before
 * its session.
 *
 * Decides: which capability takes a call or a message.
 * Keeps CB1, CB9.
 */
import { newerCall } from '../../protocol/errors';
import type { Capability } from '../capability';
import type { AgentAnswer, AssignMessage, CapabilityMessage } from '../tree-messages';
import type { CapabilityAnswer, CapabilityCall } from './object-calls';
import type { ObjectPart } from './object-part';

/** The parts of all capabilities in one object. */
export class ObjectParts {
  readonly #all: ReadonlyMap<string, ObjectPart>;

  /** @param object the object, as the capabilities know it */
  constructor(capabilities: readonly Capability[], object: unknown) {
    this.#all = new Map(
      capabilities.flatMap(({ name, atObject }): [string, ObjectPart][] =>
        atObject ? [[name, atObject(object)]] : [],
      ),
    );
  }

  get isBusy(): boolean {
    return this.#some((part) => part.isBusy);
  }

  get isOccupied(): boolean {
    return this.#some((part) => part.isOccupied);
  }

  get isUnconfirmed(): boolean {
    return this.#some((part) => part.isUnconfirmed);
  }

  #some(is: (part: ObjectPart) => boolean): boolean {
    return [...this.#all.values()].some(is);
  }

  /** A call of a capability that is missing, or does not know it, is refused as one of a newer version (SO11). */
  async take(call: CapabilityCall): Promise<CapabilityAnswer> {
    const part = this.#all.get(call.capability);
    const unknown = part === undefined ? `the call of "${call.capability}"` : part.unknownIn(call);
    if (part && unknown === undefined) return part.take(call);
    call.bytes?.cancel().catch(() => undefined);
    return { ok: false, error: newerCall(String(unknown)).failure };
  }

  /** @throws OffshootError for a message of a capability that is missing, or does not know it (SO11) */
  receive(message: CapabilityMessage): Promise<AgentAnswer> | AgentAnswer {
    const part = this.#named(message.capability);
    const unknown = part.unknownIn(message);
    if (unknown !== undefined) throw newerCall(unknown);
    return part.receive(message);
  }

  /** @throws OffshootError for a child that needs a capability which is missing */
  begin(message: AssignMessage, capability: string): Promise<AgentAnswer> {
    return this.#named(capability).begin(message);
  }

  #named(capability: string): ObjectPart {
    const part = this.#all.get(capability);
    if (part === undefined) throw newerCall(`the message of "${capability}"`);
    return part;
  }

  found(): void {
    for (const part of this.#all.values()) part.found();
  }

  /** Undefined where nothing is to be removed. */
  clear(): Promise<unknown> | undefined {
    const clearing = [...this.#all.values()].flatMap((part) => part.clear() ?? []);
    return clearing.length > 0 ? Promise.all(clearing) : undefined;
  }

  async alarm(): Promise<void> {
    for (const part of this.#all.values()) await part.alarm();
  }

  confirmed(): void {
    for (const part of this.#all.values()) part.confirmed();
  }
}

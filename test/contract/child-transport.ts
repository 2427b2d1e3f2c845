/**
 * The contract of the port to a child: each placement passes it. Children are objects as they are, whose verbs are those
 * of `answerAsChild`, so that what a child was sent and kept can be told by its own store.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChildRef, ChildTransport } from '../../src/core/ports/child-transport';
import type { ObjectRuntime } from '../../src/engine/object/object';
import type { ChildCalls, VerbAnswer, VerbCall } from '../../src/engine/object/object-calls';
import { failure } from '../../src/protocol/errors';
import type { JsonLike } from '../../src/protocol/json';

/** A parent that has no children yet. */
export interface Parent {
  readonly transport: ChildTransport<ChildCalls>;
  /** A child of the class that children have here, in a place of the parent; of the first generation by default. */
  child(place: number, generation?: number): ChildRef;
  /** A child that cannot be made. */
  readonly impossible: ChildRef;
  /** Whether the memory of a child can be copied here. */
  readonly copies: boolean;
}

/** Runs a body beside a parent. */
export type WithParent = (body: (parent: Parent) => Promise<void>) => Promise<void>;

/** A facet of a class in a place below an address. */
export function facetAt(parent: string, className: string, place: number, generation = 1) {
  const segment = `${place}~${generation}`;
  return {
    sessionId: `s_${place}_${generation}`,
    address: `${parent}/sub/${className.toLowerCase()}/${segment}`,
    placement: { via: 'facet' as const, className, segment },
  };
}

/** The same in an object of its own. */
export function objectAt(parent: string, className: string, place: number, generation = 1): ChildRef {
  const facet = facetAt(parent, className, place, generation);
  // Objects are found by their sessions alone.
  return { ...facet, sessionId: `${facet.sessionId}_${parent}`, placement: { ...facet.placement, via: 'object' } };
}

/** A facet below a child, in a place that is not the child's own: which facet that is follows from that one too. */
const facetBelow = (child: ChildRef): ChildRef => facetAt(child.address, child.placement.className, 3);

/** A child as another one is told of it. */
const facetRef = z.object({
  sessionId: z.string(),
  address: z.string(),
  placement: z.object({ via: z.literal('facet'), className: z.string(), segment: z.string() }),
});

/** What children answer. */
export async function answerAsChild(object: ObjectRuntime, { verb, input }: VerbCall): Promise<VerbAnswer> {
  switch (verb) {
    case 'note':
      object.prepare();
      object.store.addAudit({ at: 0, actor: 'contract', action: String(input) });
      return { ok: true, body: object.store.audit({}).map(({ action }) => action) };
    case 'echo':
      return { ok: true, body: input };
    case 'refuse':
      return { ok: false, error: failure('not_found', 'There is no such thing.') };
    case 'below':
      // Notes something at a child of this child.
      return object.ports.transports.facet.send(facetRef.parse(input), saying('note', 'below'));
    default:
      throw new Error('The child breaks.');
  }
}

const saying = (verb: string, input: JsonLike = null) => ({ kind: 'verb', path: [], verb, input }) as const;

/** Runs the contract for one placement. */
export function childTransportContract(name: string, withParent: WithParent): void {
  describe(`the port to a child, over ${name}`, () => {
    const noted = async ({ transport }: Parent, child: ChildRef, text: string): Promise<JsonLike> => {
      const answer = await transport.send(child, saying('note', text));
      return answer.ok ? answer.body : answer.error.code;
    };

    it('[CT1] the first message makes the child, later ones reach the same, and another place holds another child', () =>
      withParent(async (parent) => {
        expect(await noted(parent, parent.child(1), 'a')).toEqual(['a']);
        expect(await noted(parent, parent.child(1), 'b')).toEqual(['a', 'b']);
        expect(await noted(parent, parent.child(2), 'c')).toEqual(['c']);
        expect(await noted(parent, parent.child(1), 'd')).toEqual(['a', 'b', 'd']);
      }));

    it('[CT1] a message that is sent twice arrives twice: that it does no harm is the matter of what it says', () =>
      withParent(async (parent) => {
        const message = saying('note', 'same');
        await parent.transport.send(parent.child(1), message);
        expect(await parent.transport.send(parent.child(1), message)).toEqual({ ok: true, body: ['same', 'same'] });
        expect(message).toEqual(saying('note', 'same'));
      }));

    it('[CT1] messages to one child that are sent at once arrive in order, also those that make it', () =>
      withParent(async (parent) => {
        const texts = Array.from({ length: 40 }, (_, at) => `${at}`);
        const answers = await Promise.all(texts.map((text) => noted(parent, parent.child(1), text)));
        expect(answers).toEqual(texts.map((_, at) => texts.slice(0, at + 1)));
      }));

    it('[CT1] messages to many children at once reach each its own', () =>
      withParent(async (parent) => {
        const places = [1, 2, 3, 4, 5, 6, 7, 8];
        const answers = await Promise.all(places.map((place) => noted(parent, parent.child(place), `to ${place}`)));
        expect(answers).toEqual(places.map((place) => [`to ${place}`]));
      }));

    it('[CT2] what a child refuses is an answer', () =>
      withParent(async ({ transport, child }) => {
        expect(await transport.send(child(1), saying('refuse'))).toMatchObject({
          ok: false,
          error: { code: 'not_found', message: 'There is no such thing.' },
        });
      }));

    it('[CT2] a child that cannot be made is an error, again and again, and no other child suffers from it', () =>
      withParent(async (parent) => {
        expect(await noted(parent, parent.child(1), 'a')).toEqual(['a']);
        for (let time = 0; time < 2; time++)
          await expect(parent.transport.send(parent.impossible, saying('echo'))).rejects.toThrow();
        expect(await noted(parent, parent.child(1), 'b')).toEqual(['a', 'b']);
      }));

    it('[CT2] a child that breaks gives no answer to that message alone, and keeps what it had', () =>
      withParent(async (parent) => {
        const { transport, child } = parent;
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        const all = await Promise.allSettled([
          noted(parent, child(1), 'b'),
          transport.send(child(1), saying('break')),
          noted(parent, child(1), 'c'),
        ]);
        expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await noted(parent, child(1), 'd')).toEqual(['a', 'b', 'c', 'd']);
      }));

    it('[CT3] a removed child is gone with its store, and so is what was below it', () =>
      withParent(async (parent) => {
        const { transport, child } = parent;
        const below = () => transport.send(child(1), saying('below', { ...facetBelow(child(1)) }));
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        expect(await below()).toEqual({ ok: true, body: ['below'] });
        expect(await below()).toEqual({ ok: true, body: ['below', 'below'] });
        expect(await noted(parent, child(2), 'x')).toEqual(['x']);
        await transport.remove(child(1));
        // The same one again is made anew.
        expect(await noted(parent, child(1), 'b')).toEqual(['b']);
        expect(await below()).toEqual({ ok: true, body: ['below'] });
        expect(await noted(parent, child(2), 'y')).toEqual(['x', 'y']);
      }));

    it('[CT3] the place of a removed child is used again by a newer generation, again and again', () =>
      withParent(async (parent) => {
        for (let generation = 1; generation <= 3; generation++) {
          const child = parent.child(1, generation);
          expect(await noted(parent, child, `generation ${generation}`)).toEqual([`generation ${generation}`]);
          await parent.transport.remove(child);
        }
      }));

    it('[CT3] removing what is gone, or never was, changes nothing', () =>
      withParent(async (parent) => {
        const { transport, child } = parent;
        await transport.remove(child(1));
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        await transport.remove(child(1));
        await transport.remove(child(1));
        await Promise.all([transport.remove(child(2)), transport.remove(child(2))]);
        expect(await noted(parent, child(1), 'b')).toEqual(['b']);
      }));

    it('[CT6] a placement that cannot copy makes none, and says so', () =>
      withParent(async (parent) => {
        const { transport, child, copies } = parent;
        if (copies) return;
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        expect(await transport.copy(child(1), child(2))).toBe(false);
        expect(await noted(parent, child(2), 'b')).toEqual(['b']);
      }));

    it('[CT6] a copy holds what the other one held, with what was below it; from then on each has its own', () =>
      withParent(async (parent) => {
        const { transport, child, copies } = parent;
        if (!copies) return;
        const below = (one: ChildRef) => transport.send(one, saying('below', { ...facetBelow(one) }));
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        expect(await below(child(1))).toEqual({ ok: true, body: ['below'] });
        expect(await transport.copy(child(1), child(2))).toBe(true);
        expect(await noted(parent, child(1), 'mine')).toEqual(['a', 'mine']);
        expect(await noted(parent, child(2), 'other')).toEqual(['a', 'other']);
        expect(await below(child(2))).toEqual({ ok: true, body: ['below', 'below'] });
        expect(await below(child(1))).toEqual({ ok: true, body: ['below', 'below'] });
        await transport.remove(child(1));
        expect(await noted(parent, child(2), 'still')).toEqual(['a', 'other', 'still']);
      }));

    it('[CT6] copying to a place that is taken changes nothing there, and from one that is empty makes nothing', () =>
      withParent(async (parent) => {
        const { transport, child, copies } = parent;
        if (!copies) return;
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        expect(await noted(parent, child(2), 'b')).toEqual(['b']);
        expect(await transport.copy(child(1), child(2))).toBe(true);
        expect(await noted(parent, child(2), 'c')).toEqual(['b', 'c']);
        expect(await transport.copy(child(3), child(4))).toBe(false);
        // One that is due is not there yet.
        await transport.prepare?.([child(5), child(6)]);
        expect(await transport.copy(child(5), child(7))).toBe(false);
        expect(await noted(parent, child(4), 'd')).toEqual(['d']);
      }));

    it('[CT4] saying which children are due makes none; each is then made with a store of its own, empty', () =>
      withParent(async (parent) => {
        const { transport, child } = parent;
        const due = [1, 2, 3, 4].map((place) => child(place));
        for (let time = 0; time < 2; time++) await transport.prepare?.(due);
        for (const [at, one] of due.entries()) expect(await noted(parent, one, `${at}`)).toEqual([`${at}`]);
        // Nor was what is there touched by being due again.
        await transport.prepare?.(due);
        expect(await noted(parent, child(1), 'more')).toEqual(['0', 'more']);
      }));

    it('[CT4] what goes wrong with preparing costs the children nothing', () =>
      withParent(async (parent) => {
        const { transport, child, impossible } = parent;
        const due = [child(1), child(2), impossible, impossible];
        await transport.prepare?.(due).catch(() => undefined);
        expect(await noted(parent, child(1), 'a')).toEqual(['a']);
        expect(await noted(parent, child(2), 'b')).toEqual(['b']);
        await expect(transport.send(impossible, saying('echo'))).rejects.toThrow();
      }));

    it('[CT5] messages and answers of 8 MB pass', () =>
      withParent(async ({ transport, child }) => {
        const text = 'offshoot'.repeat(1_000_000);
        const answer = await transport.send(child(1), saying('echo', text));
        expect(answer.ok && answer.body === text).toBe(true);
      }));

    it('[CT5] an answer is plain data of its own, without a handle of the platform', () =>
      withParent(async ({ transport, child }) => {
        const given = { deep: ['a', { b: 1 }] };
        const answer = await transport.send(child(1), saying('echo', given));
        expect(answer).toEqual({ ok: true, body: given });
        expect(Object.getPrototypeOf(answer)).toBe(Object.prototype);
        expect(Reflect.ownKeys(answer).filter((key) => typeof key === 'symbol')).toEqual([]);
        expect(Symbol.dispose in answer).toBe(false);
        expect(answer.ok && answer.body).not.toBe(given);
      }));
  });
}

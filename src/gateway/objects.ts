/**
 * Reaching roots and directories. Nothing is thrown that a caller could not be told.
 *
 * Keeps A22.
 */

import type { DirectoryLists, DirectoryPort } from '../core/ports/directory';
import { objectNamed } from '../core/ports/object-names';
import { NOTHING_HERE, type ObjectStub } from '../engine/object/object-calls';
import type { Level } from '../protocol/address';
import { type Failure, failure } from '../protocol/errors';
import { isShared } from './agents/listed';

/** What `ctx.exports` holds, as far as this code looks at it. */
export type Exports = Readonly<Record<string, unknown>>;

/** A directory, as the Worker calls it. */
export interface DirectoryStub extends DirectoryPort, DirectoryLists {}

/** The class that lists roots; every app exports it. */
export const DIRECTORY_CLASS = 'OffshootDirectory';

/** What the Worker exports, from the context of a call. */
export function exportsOf(context: object): Exports {
  const { exports } = context as { exports?: Exports };
  if (exports === undefined)
    throw new Error('ctx.exports is missing: use a compatibility date of 2025-11-17 or later.');
  return exports;
}

interface Namespace {
  getByName(name: string): unknown;
}

function namespaceOf(exports: Exports, className: string): Namespace {
  return exports[className] as Namespace;
}

/** The root of an address. Getting the stub wakes nothing. */
export function rootStub(exports: Exports, root: Pick<Level, 'className' | 'name'>): ObjectStub {
  return rootIn(namespaceOf(exports, objectNamed(root, isShared).className), root);
}

/** The same among the objects of its class. */
export function rootIn(namespace: Namespace, root: Pick<Level, 'className' | 'name'>): ObjectStub {
  return namespace.getByName(objectNamed(root, isShared).name) as ObjectStub;
}

/** The directory of an agent class. */
export function directoryStub(exports: Exports, className: string): DirectoryStub {
  return namespaceOf(exports, DIRECTORY_CLASS).getByName(className) as DirectoryStub;
}

/** Waits before a root is asked again that was just leaving memory, in ms. */
const AGAIN_MS = [10, 20, 50, 100, 200, 500, 1_000];

interface Refused {
  readonly ok: false;
  readonly error: Failure;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks a root. A question that met a root which was leaving is asked again, unless it can be asked only `once`: nothing
 * can have come of it. A root that cannot be reached is `unavailable`, and `report` is told why.
 */
export async function askRoot<Answer extends { readonly ok: true } | Refused>(
  ask: () => Promise<Answer>,
  report: (error: unknown) => void,
  once = false,
): Promise<Answer | Refused> {
  for (let tried = 0; ; tried++) {
    const answer = await answerOf(ask);
    if (answer !== LEAVING && !(answer instanceof Unreached)) return answer;
    const wait = AGAIN_MS[tried];
    if (answer === LEAVING && !once && wait !== undefined) {
      await pause(wait);
      continue;
    }
    if (answer !== LEAVING) report(answer.cause);
    return {
      ok: false,
      error: failure(
        'unavailable',
        'The agent could not be reached. Try again; with an Idempotency-Key, a repeated request is harmless.',
      ),
    };
  }
}

const LEAVING = Symbol('leaving');

class Unreached {
  constructor(readonly cause: unknown) {}
}

async function answerOf<Answer extends { readonly ok: true } | Refused>(
  ask: () => Promise<Answer>,
): Promise<Answer | typeof LEAVING | Unreached> {
  try {
    const answer = await ask();
    return !answer.ok && answer.error.message === NOTHING_HERE ? LEAVING : answer;
  } catch (error) {
    return error instanceof Error && error.message.includes(NOTHING_HERE) ? LEAVING : new Unreached(error);
  }
}

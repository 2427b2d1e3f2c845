/** What the library keeps and answers: plain data, so that it crosses an object boundary as it is. */

import type { Failure } from '../protocol/errors';
import { OffshootError } from '../protocol/errors';

/** A document as it is put into the library. */
export interface LibraryDocument {
  /** Lower case letters, digits and `-`; also the first half of its passage ids. */
  readonly name: string;
  readonly title: string;
  /** Where it comes from, for people: a path. */
  readonly source: string;
  readonly text: string;
}

/** An upload. `text` is the file as text; `mediaType` may carry parameters (`text/plain; charset=utf-8`). */
export interface Upload {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
  /** Takes the place of an upload of the same name; otherwise the new one gets the next free name (`notes-2.md`). */
  readonly replace?: boolean;
}

/** A document on its way from one library to another. */
export interface DocumentCopy {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** Of its text, so that the same one is kept once. */
  readonly hash: string;
  readonly bytes: number;
  readonly passages: readonly { readonly heading: string; readonly text: string }[];
}

/** A document as the library lists it: shipped with it, shared by somebody, or of one root alone. `bytes` is its size in UTF-8, `passages` how many it was split into. */
export interface DocumentInfo {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly origin: 'shipped' | 'shared' | 'upload';
  readonly bytes: number;
  readonly passages: number;
}

/** One passage. `passage` is its id: the document's name, `#` and its number from 1, like `guarantees#3`. */
export interface LibraryPassage {
  readonly document: string;
  readonly title: string;
  readonly heading: string;
  readonly passage: string;
  readonly text: string;
}

/** A passage that a search found. A higher `score` is a better match; it means nothing between two searches. */
export interface FoundPassage extends LibraryPassage {
  readonly score: number;
}

/** What a search answers. */
export interface SearchAnswer {
  /** Passages that hold every term come first, the others after; best first within both. */
  readonly passages: readonly FoundPassage[];
  /** How many of them hold every term. */
  readonly whole: number;
  /** The terms that were searched for, each with the number of passages that hold it. */
  readonly terms: readonly { readonly term: string; readonly passages: number }[];
  /** All passages of the library. */
  readonly passagesInLibrary: number;
}

/** An answer that may be a failure: errors thrown across objects lose their fields, so they travel as data. */
export type LibraryAnswer<Value> = ({ readonly ok: true } & Value) | { readonly ok: false; readonly error: Failure };

/** What became of a document that was to be added. */
export type AddAnswer = LibraryAnswer<{ document: DocumentInfo; status: 'added' | 'replaced' | 'unchanged' }>;

type Awaitable<Value> = Value | PromiseLike<Value>;

/** The library as tools reach it: of one root, with the shared one. */
export interface LibraryPort {
  add(upload: Upload): Awaitable<AddAnswer>;
  list(): Awaitable<{ documents: readonly DocumentInfo[] }>;
  search(search: { query: string; limit?: number }): Awaitable<SearchAnswer>;
  read(
    document: string,
    passage?: string,
    around?: number,
  ): Awaitable<LibraryAnswer<{ document: DocumentInfo; passages: readonly LibraryPassage[]; truncated: boolean }>>;
}

/** One library by itself: a stub of a `Library` object. */
export interface LibraryShelf extends LibraryPort {
  remove(name: string): Awaitable<LibraryAnswer<{ removed: string }>>;
  copyOf(name: string): Awaitable<DocumentCopy | undefined>;
  copy(document: DocumentCopy): Awaitable<AddAnswer>;
  /** Removes all of it. */
  forget(): Awaitable<void>;
}

/** The library that all roots search goes by this name; the one of a root by `ownLibrary`. */
export const SHARED_LIBRARY = 'library';

/** What the names of shared documents begin with: a root's own have no slash, and those that are shipped no dot. */
export const SHARED_PREFIX = 'shared/';

interface LibraryNamespace {
  getByName(name: string): LibraryShelf;
}

function isNamespace(value: unknown): value is LibraryNamespace {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'getByName') === 'function';
}

const namespaceOf = (env: unknown): unknown =>
  typeof env === 'object' && env !== null ? Reflect.get(env, 'LIBRARY') : undefined;

/** Whether an environment has the binding `LIBRARY`. */
export function hasLibrary(env: unknown): boolean {
  return isNamespace(namespaceOf(env));
}

/**
 * The libraries behind a tool's `context.env`: the shared one, and that of the root of an agent's address.
 * @throws OffshootError `unavailable` when the environment has no binding `LIBRARY`.
 */
export function shelvesOf(env: unknown, address: string): { shared: LibraryShelf; own: LibraryShelf } {
  const namespace = namespaceOf(env);
  if (!isNamespace(namespace)) {
    throw new OffshootError(
      'unavailable',
      'The desk needs its library: bind the class `Library` as `LIBRARY` in wrangler.jsonc.',
      {
        retryable: false,
      },
    );
  }
  return { shared: namespace.getByName(SHARED_LIBRARY), own: namespace.getByName(ownLibrary(address)) };
}

/** The name of the library of an agent's root: `/agents/{class}/{name}` is what all addresses of its tree begin with. */
function ownLibrary(address: string): string {
  return `root ${address.split('/').slice(0, 4).join('/')}`;
}

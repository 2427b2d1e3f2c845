/** What the library keeps and answers: plain data, so that it crosses an object boundary as it is. */

import type { Failure } from '../core/errors';
import { OffshootError } from '../core/errors';

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

/** A document as the library lists it. `bytes` is its size in UTF-8, `passages` how many it was split into. */
export interface DocumentInfo {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly origin: 'shipped' | 'upload';
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
  /** The terms that were searched for, each with the number of passages that hold it. */
  readonly terms: readonly { readonly term: string; readonly passages: number }[];
  /** All passages of the library. */
  readonly passagesInLibrary: number;
}

/** An answer that may be a failure: errors thrown across objects lose their fields, so they travel as data. */
export type LibraryAnswer<Value> = ({ readonly ok: true } & Value) | { readonly ok: false; readonly error: Failure };

type Awaitable<Value> = Value | PromiseLike<Value>;

/** The library as tools reach it: a stub of the `Library` object, or a `LibraryStore` in the same process. */
export interface LibraryPort {
  add(upload: Upload): Awaitable<LibraryAnswer<{ document: DocumentInfo; status: 'added' | 'replaced' | 'unchanged' }>>;
  list(): Awaitable<{ documents: readonly DocumentInfo[] }>;
  search(search: { query: string; limit?: number }): Awaitable<SearchAnswer>;
  read(
    document: string,
    passage?: string,
    around?: number,
  ): Awaitable<LibraryAnswer<{ document: DocumentInfo; passages: readonly LibraryPassage[]; truncated: boolean }>>;
}

/** The one library of a Worker goes by this name. */
const LIBRARY_NAME = 'library';

interface LibraryNamespace {
  getByName(name: string): LibraryPort;
}

function isNamespace(value: unknown): value is LibraryNamespace {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'getByName') === 'function';
}

/**
 * The library behind a tool's `context.env`.
 * @throws OffshootError `unavailable` when the environment has no binding `LIBRARY`.
 */
export function libraryOf(env: unknown): LibraryPort {
  const namespace: unknown = typeof env === 'object' && env !== null ? Reflect.get(env, 'LIBRARY') : undefined;
  if (!isNamespace(namespace)) {
    throw new OffshootError(
      'unavailable',
      'The desk needs its library: bind the class `Library` as `LIBRARY` in wrangler.jsonc.',
      {
        retryable: false,
      },
    );
  }
  return namespace.getByName(LIBRARY_NAME);
}

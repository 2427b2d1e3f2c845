/** The library as a Durable Object: a thin shell around `LibraryStore`. */
import { DurableObject } from 'cloudflare:workers';
import { beginningOf } from '../protocol/content/cut';
import type { Failure } from '../protocol/errors';
import { failure } from '../protocol/errors';
import { CORPUS } from './corpus/corpus';
import { holdsLibrary } from './library-schema';
import { LibraryStore, openLibrary } from './library-store';
import type {
  AddAnswer,
  DocumentCopy,
  DocumentInfo,
  LibraryAnswer,
  LibraryShelf,
  SearchAnswer,
  Upload,
} from './library-types';
import { SHARED_LIBRARY } from './library-types';
import { inTurns } from './portions';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * A document library of the desk. The object named `library` is searched by all agents of a Worker and seeds itself with
 * the shipped corpus whenever it wakes with an older one. Every other one belongs to the root that it is named after: it
 * stores nothing before a document is added, and goes with its root. Expected failures are answered as data; see
 * `LibraryStore` for each method.
 */
export class Library extends DurableObject<unknown> implements LibraryShelf {
  #store: LibraryStore | undefined;
  /** Ends with the last addition so far: they come one after the other, in portions, and all else comes in between. */
  #additions: Promise<unknown> = Promise.resolve();

  constructor(context: DurableObjectState, env: unknown) {
    super(context, env);
    if (context.id.name === SHARED_LIBRARY) this.#store = openLibrary(context.storage, CORPUS);
    else if (holdsLibrary(context.storage)) this.#store = new LibraryStore(context.storage);
  }

  /** Adds a text. */
  add(upload: Upload): Promise<AddAnswer> {
    return this.#after(() => inTurns(this.#open().adding(upload), turn));
  }

  /** Adds a copy of another library's document. */
  copy(document: DocumentCopy): Promise<AddAnswer> {
    return this.#after(() => inTurns(this.#open().copying(document), turn));
  }

  /** A document with all of its passages. */
  copyOf(name: string): DocumentCopy | undefined {
    return this.#store?.copyOf(name);
  }

  /** Removes a document that was added. */
  remove(name: string): LibraryAnswer<{ removed: string }> {
    return this.#store?.remove(name) ?? nothingHere(name);
  }

  /** Lists all documents. */
  list(): { documents: readonly DocumentInfo[] } {
    return this.#store?.list() ?? { documents: [] };
  }

  /** Finds passages. */
  search(search: { query: string; limit?: number }): SearchAnswer {
    return this.#store?.search(search) ?? { passages: [], terms: [], passagesInLibrary: 0, whole: 0 };
  }

  /** Reads a document or a passage. */
  read(document: string, passage?: string, around?: number): ReturnType<LibraryStore['read']> {
    return this.#store?.read(document, passage, around) ?? nothingHere(document);
  }

  /** Removes everything, after the additions that are under way. */
  forget(): Promise<void> {
    return this.#after(async () => {
      this.#store = undefined;
      await this.ctx.storage.deleteAll();
    });
  }

  #after<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#additions.then(work);
    this.#additions = answer.catch(() => undefined);
    return answer;
  }

  #open(): LibraryStore {
    this.#store ??= new LibraryStore(this.ctx.storage);
    return this.#store;
  }
}

function nothingHere(name: string): { ok: false; error: Failure } {
  return {
    ok: false,
    error: failure('not_found', `There is no document "${beginningOf(String(name), 200)}" in the library.`),
  };
}

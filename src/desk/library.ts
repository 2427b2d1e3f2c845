/** The library as a Durable Object: a thin shell around `LibraryStore`. */
import { DurableObject } from 'cloudflare:workers';
import { CORPUS } from './corpus';
import type { LibraryStore } from './library-store';
import { openLibrary } from './library-store';
import type { LibraryDocument, LibraryPort, Upload } from './library-types';

/**
 * The document library of the desk. One object, named `library`, serves all agents of a Worker. It seeds itself
 * with the shipped corpus whenever it wakes with an older one, so nothing has to be done when the Worker starts.
 * Expected failures are answered as data; see `LibraryStore` for each method.
 */
export class Library extends DurableObject<unknown> implements LibraryPort {
  readonly #store: LibraryStore;

  constructor(context: DurableObjectState, env: unknown) {
    super(context, env);
    this.#store = openLibrary(context.storage, CORPUS);
  }

  /** Replaces the seeded documents; uploads stay. */
  seed(version: string, documents: readonly LibraryDocument[]): ReturnType<LibraryStore['seed']> {
    return this.#store.seed(version, documents);
  }

  /** Adds a text. */
  add(upload: Upload): ReturnType<LibraryStore['add']> {
    return this.#store.add(upload);
  }

  /** Removes an upload. */
  remove(name: string): ReturnType<LibraryStore['remove']> {
    return this.#store.remove(name);
  }

  /** Lists all documents. */
  list(): ReturnType<LibraryStore['list']> {
    return this.#store.list();
  }

  /** Finds passages. */
  search(search: { query: string; limit?: number }): ReturnType<LibraryStore['search']> {
    return this.#store.search(search);
  }

  /** Reads a document or a passage. */
  read(document: string, passage?: string, around?: number): ReturnType<LibraryStore['read']> {
    return this.#store.read(document, passage, around);
  }
}

/** The library of a root: its own documents and the shared ones, as if they were one (decision 24). */
import type {
  AddAnswer,
  DocumentInfo,
  FoundPassage,
  LibraryAnswer,
  LibraryPassage,
  LibraryPort,
  LibraryShelf,
  SearchAnswer,
  Upload,
} from './library-types';
import { SHARED_PREFIX, shelvesOf } from './library-types';
import { LIBRARY_LIMITS } from './uploads';

/** The library that an agent at an address searches. What it adds is its root's alone. */
export function libraryOf(env: unknown, address: string): LibraryPort {
  const { own, shared } = shelvesOf(env, address);
  return new Shelves(own, shared);
}

class Shelves implements LibraryPort {
  constructor(
    readonly own: LibraryShelf,
    readonly shared: LibraryShelf,
  ) {}

  async add(upload: Upload): Promise<AddAnswer> {
    return this.own.add(upload);
  }

  async list(): Promise<{ documents: readonly DocumentInfo[] }> {
    const [shared, own] = await Promise.all([this.shared.list(), this.own.list()]);
    return { documents: [...shared.documents, ...own.documents] };
  }

  async search(search: { query: string; limit?: number }): Promise<SearchAnswer> {
    const [own, shared] = await Promise.all([this.own.search(search), this.shared.search(search)]);
    if (own.passagesInLibrary === 0) return shared;
    const limit = search.limit ?? LIBRARY_LIMITS.searchLimit;
    const counts = new Map(own.terms.map(({ term, passages }) => [term, passages]));
    return {
      passages: [
        ...inTurn(own.passages.slice(0, own.whole), shared.passages.slice(0, shared.whole)),
        ...inTurn(own.passages.slice(own.whole), shared.passages.slice(shared.whole)),
      ].slice(0, limit),
      whole: Math.min(limit, own.whole + shared.whole),
      terms: shared.terms.map(({ term, passages }) => ({ term, passages: passages + (counts.get(term) ?? 0) })),
      passagesInLibrary: own.passagesInLibrary + shared.passagesInLibrary,
    };
  }

  async read(
    document: string,
    passage?: string,
    around?: number,
  ): Promise<LibraryAnswer<{ document: DocumentInfo; passages: readonly LibraryPassage[]; truncated: boolean }>> {
    const isOwn = document.includes('.') && !document.startsWith(SHARED_PREFIX);
    return (isOwn ? this.own : this.shared).read(document, passage, around);
  }
}

/**
 * Two lists, best first, as one: their scores cannot be compared, because a word that is rare in one library may be
 * common in the other. The own one begins.
 */
function inTurn(own: readonly FoundPassage[], shared: readonly FoundPassage[]): FoundPassage[] {
  const length = Math.max(own.length, shared.length);
  return Array.from({ length }, (_, index) => [own[index], shared[index]]).flatMap((pair) =>
    pair.filter((one) => one !== undefined),
  );
}

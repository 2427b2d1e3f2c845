/** The documents that go with a root: whatever store an author keeps them in. */
/** A document, as it is listed. */
interface DocumentFacts {
  readonly name: string;
  readonly title: string;
  /** `own`: of this root alone. `shared`: for every root, put there on purpose. `shipped`: there from the start. */
  readonly origin: 'own' | 'shared' | 'shipped';
  /** Of its text, in bytes of UTF-8. */
  readonly bytes: number;
}
/**
 * The documents of one root. Each method may be repeated; what is refused is an `OffshootError`: `not_found` for a name
 * that is not there, `payload_too_large` where there is no room.
 */
interface RootDocuments {
  /** Those that the root's agents search: its own and the shared ones. */
  list(): Promise<readonly DocumentFacts[]>;
  /** Removes one of its own. */
  remove(name: string): Promise<void>;
  /** Puts a copy of one of its own where every root finds it; gives the name there. */
  share(name: string): Promise<DocumentFacts>;
  /** Takes a shared one away from every root. */
  unshare(name: string): Promise<void>;
  /** Removes all of its own, because the root is being removed. */
  forget(): Promise<void>;
}
export { RootDocuments as n, DocumentFacts as t };
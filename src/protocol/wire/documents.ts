/** The documents of a root, in any store. */

/** A document, as it is listed. */
export interface DocumentFacts {
  readonly name: string;
  readonly title: string;
  /** `own`: of this root only. `shared`: shared with every root. `shipped`: part of the deployment. */
  readonly origin: 'own' | 'shared' | 'shipped';
  /** The size of its text, in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * The documents of one root. Each method may be repeated. A refusal throws an `OffshootError`: `not_found` for an
 * unknown name, `payload_too_large` if there is no room.
 */
export interface RootDocuments {
  /** The documents that the root's agents search: its own and the shared ones. */
  list(): Promise<readonly DocumentFacts[]>;
  /** Removes one of its own. */
  remove(name: string): Promise<void>;
  /** Shares a copy of one of its own documents with every root; returns the new name. */
  share(name: string): Promise<DocumentFacts>;
  /** Stops sharing a document. */
  unshare(name: string): Promise<void>;
  /** Removes all of its own, because the root is being removed. */
  forget(): Promise<void>;
}

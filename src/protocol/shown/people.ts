/** How a caller is called for people, where its subject is not a name that somebody chose. */

/** The subject of whoever asks a server on this machine that has no token. */
export const LOCAL_SUBJECT = 'local';
/** Who asks, where nobody said so. */
export const ANONYMOUS = 'anonymous';

/** A caller within a sentence. */
export function personOf(actor: string): string {
  if (actor === LOCAL_SUBJECT) return 'somebody on this machine';
  return actor === ANONYMOUS ? 'somebody' : actor;
}

/**
 * The port to what seals values of variables: nothing of them is at rest, or on its way between objects, in the open.
 *
 * Keeps VR4.
 */

/** Seals and opens, at once. What was sealed is opened by every object of the Worker, also once a newer key stands in front. */
export interface Vault {
  /** A text that tells nothing of the value. @throws OffshootError `no_encryption_key`, with what to set */
  seal(name: string, value: string): string;
  /** The value, for that name alone. @throws OffshootError `no_encryption_key` where no key that is there opens it */
  open(name: string, sealed: string): string;
}

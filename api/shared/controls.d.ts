import "./chunks.js";
/** The reason why an operation would be refused. */
type VerbRefusal = {
  /** The code of the refusal; `nothing_to_stop` if the operation would change nothing. */
  readonly code: string;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer: what to do instead. */
  readonly detail: string;
};
/** The same, as documents have it. */
type ShownControl = true | VerbRefusal;
/** The operations that the state of an agent allows or forbids. */
type Controlled = 'start' | 'send' | 'interrupt' | 'abort' | 'terminate' | 'resume' | 'retry' | 'submit' | 'fork' | 'remove';
/** The operations that are allowed now, by name. */
type ShownControls = { readonly [Verb in Controlled]: ShownControl; };
export { ShownControls as n, VerbRefusal as r, ShownControl as t };
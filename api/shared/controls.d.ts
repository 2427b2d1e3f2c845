import "./chunks.js";
/** Why a verb would be refused. */
type VerbRefusal = {
  /** As the verb would be refused with; `nothing_to_stop` where it would change nothing. */
  readonly code: string;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer: what to do instead. */
  readonly detail: string;
};
/** The same, as documents have it. */
type ShownControl = true | VerbRefusal;
/** The verbs that the state of an agent allows or not. */
type Controlled = 'start' | 'send' | 'interrupt' | 'abort' | 'terminate' | 'resume' | 'retry' | 'submit' | 'fork' | 'remove';
/** The verbs that are legal now, by name. */
type ShownControls = { readonly [Verb in Controlled]: ShownControl; };
export { ShownControls as n, VerbRefusal as r, ShownControl as t };
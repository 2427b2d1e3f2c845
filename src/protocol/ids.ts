/**
 * Ids are minted, never derived from what a caller knows: `<prefix>_<token><index>`.
 * The token comes from outside (16 characters or more of randomness for each event), so the core stays pure
 * and one event can mint several ids.
 *
 * Decides: the form of an id.
 * Keeps SE3.
 */
export type IdKind = 'session' | 'run' | 'call' | 'message' | 'request';

const PREFIX: Record<IdKind, string> = { session: 's', run: 'r', call: 'c', message: 'm', request: 'v' };

/** One id from an event's random token; `index` tells apart the ids of one kind that the same event mints. */
export function mintId(kind: IdKind, token: string, index = 0): string {
  return `${PREFIX[kind]}_${token}${index === 0 ? '' : `_${index.toString(36)}`}`;
}

/** The run of a child, as both sides know it without asking: runs are counted over the child's session, from 1. */
export function childRunId(sessionId: string, runNumber: number): string {
  const token = sessionId.slice(PREFIX.session.length + 1);
  return `${PREFIX.run}_${token}${runNumber === 1 ? '' : `.${runNumber}`}`;
}

/** Which run of a child that is; 0 for one that is none of the session. */
export function runNumberOf(sessionId: string, runId: string): number {
  const first = childRunId(sessionId, 1);
  if (runId === first) return 1;
  return runId.startsWith(`${first}.`) ? Number(runId.slice(first.length + 1)) : 0;
}

/** The first values and the factors of the four parts of a reference: any odd numbers that differ. */
const PARTS = [
  [0x811c9dc5, 0x01000193],
  [0x9e3779b1, 0x85ebca6b],
  [0xc2b2ae35, 0x27d4eb2f],
  [0x165667b1, 0xcc9e2d51],
] as const;

/** A UUID (version 8: of our own making) from an event's random token; `index` tells apart those of one event. */
export function mintReference(token: string, index: number): string {
  const text = `${token} ${index}`;
  const hex = PARTS.map(([first, factor]) => {
    let sum: number = first;
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at) ^ (sum >>> 15), factor);
    for (const mix of [0x85ebca6b, 0xc2b2ae35]) sum = Math.imul(sum ^ (sum >>> 15), mix);
    return ((sum ^ (sum >>> 16)) >>> 0).toString(16).padStart(8, '0');
  }).join('');
  // The digit of the variant is a letter: names of companions and references hold one.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * The class name of an agent: `PascalCase(definition.name)`.
 * `fact-checker`, `fact_checker` and `factChecker` all give `FactChecker`.
 */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word.length > 0)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The name that a program gives to a definition: `fact-checker` gives `factChecker`. */
export function identifierOf(name: string): string {
  const found = pascalCase(name);
  return found.charAt(0).toLowerCase() + found.slice(1);
}

/** The address form of a class: `FactChecker` gives `fact-checker`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1-')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
}

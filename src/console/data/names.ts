/** How agents are called for people, by their addresses. */

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The short name of an agent: the last part of its address. */
export const nameOf = (address: string): string => decoded(address.split('/').at(-1) ?? address);

/** A sub-agent that its parent has not named: its place among the parent's, and the how many-th there it is. */
const SLOT = /^([1-9]\d*)~([1-9]\d*)$/u;

/** A name as it stands in an address: `q1`; `2` for the first agent in the second place, `2 (3)` for the third there. */
export function calledOf(name: string): string {
  const [, place, turn] = SLOT.exec(name) ?? [];
  if (place === undefined) return name;
  return turn === '1' ? place : `${place} (${turn})`;
}

/** `coordinator q1`, `researcher 2`: each level of an address, from the root down. */
export function pathParts(address: string): readonly string[] {
  const parts = address.split('/').filter((part, at) => at > 1 && part !== 'sub');
  return parts.flatMap((part, at) =>
    at % 2 === 0 ? [`${decoded(part)} ${calledOf(decoded(parts[at + 1] ?? ''))}`.trim()] : [],
  );
}

/** The same as one text. */
export const pathSaid = (address: string): string => pathParts(address).join(' › ');

/** How agents are called for people, by their addresses. */

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `coordinator q1`, `researcher 2~1`: each level of an address, from the root down. */
export function pathParts(address: string): readonly string[] {
  const parts = address.split('/').filter((part, at) => at > 1 && part !== 'sub');
  return parts.flatMap((part, at) => (at % 2 === 0 ? [`${decoded(part)} ${decoded(parts[at + 1] ?? '')}`.trim()] : []));
}

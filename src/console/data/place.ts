/** Where the console and the API lie, as the page was told, and the addresses in its paths. */

const told = document.documentElement.dataset;

/** What every path of the API begins with. */
export const BASE = told.base ?? '';
/** What every path of the console begins with, but Home's. */
export const AT = told.at ?? '/console';
/** True where the Worker serves the documentation too. */
export const HAS_DOCS = told.docs !== undefined;

/** The path of Home. */
export const HOME = `${BASE}/`;

/** The path of an agent's view. */
export const pathOf = (address: string): string => `${AT}${address}`;

/** The address of the root that an address lies below. */
export function rootOf(address: string): string {
  return address.split('/').slice(0, 4).join('/');
}

/**
 * Addresses: `/agents/{class}/{name}` and then any number of `/sub/{class}/{name}`.
 * Classes are kebab-case; an ephemeral child's name is its slot and generation (`7~3`).
 *
 * Decides: the form of an address.
 * Keeps AD1, AD2, SAT1.
 */

import { DATA_LIMITS } from './data-limits';
import { OffshootError } from './errors';
import { kebabCase, pascalCase } from './ids';

/** One level of an address. */
export interface Level {
  /** `fact-checker`. */
  readonly addressClass: string;
  /** `FactChecker`. */
  readonly className: string;
  readonly name: string;
}

/** A parsed address and what follows it in a path. */
export interface ParsedAddress {
  readonly root: Level;
  readonly below: readonly Level[];
  /** The canonical text of the address. */
  readonly address: string;
  /** The segments that follow, still encoded. */
  readonly rest: readonly string[];
}

/** A name in an address, of at most `DATA_LIMITS.maxName` characters. URLs resolve `.` and `..`, so neither is one. */
export const NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

/** Advice for a name of a root that is refused. */
export const MAKE_NAME = '`rootNameOf` of "offshoot/access" turns any string into a name.';

/** The form of a name, for people. */
export const NAME_FORM = 'A name consists of letters, digits, ".", "_", "~" and "-", and is neither "." nor "..".';

const CLASS = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const SLOT = /^([1-9][0-9]*)~([1-9][0-9]*)$/;

function invalidAddress(what: string): never {
  throw new OffshootError('invalid_address', what);
}

/** The slot and generation that a name speaks of, if it is an ephemeral child's. */
export function parseSlot(name: string): { slot: number; generation: number } | undefined {
  const match = SLOT.exec(name);
  return match ? { slot: Number(match[1]), generation: Number(match[2]) } : undefined;
}

/** @throws OffshootError `invalid_address` for what is no name in an address */
function checkName(name: string, advice = ''): void {
  if (name.length > DATA_LIMITS.maxName)
    invalidAddress(`A name has at most ${DATA_LIMITS.maxName} characters.${advice}`);
  if (!NAME_PATTERN.test(name)) invalidAddress(`${NAME_FORM}${advice}`);
}

/** @throws OffshootError `invalid_address` for what no root may be called: slots and bare numbers are kept for children */
export function checkRootName(name: string): void {
  checkName(name, ` ${MAKE_NAME}`);
  if (parseSlot(name) || /^[0-9]+$/.test(name))
    invalidAddress(`A name of digits alone, or of the form 7~3, is reserved for sub-agents. ${MAKE_NAME}`);
}

function level(addressClass: string | undefined, name: string | undefined, check = checkName): Level {
  if (addressClass === undefined || name === undefined)
    invalidAddress('An address has a class and a name at each level: /agents/{class}/{name}/sub/{class}/{name}.');
  if (addressClass.length > DATA_LIMITS.maxName || !CLASS.test(addressClass))
    invalidAddress('A class in an address is written in kebab-case, like "fact-checker".');
  if (addressClass === 'sub') invalidAddress('"sub" separates the levels of an address and cannot be a class.');
  check(name);
  const className = pascalCase(addressClass);
  const canonical = kebabCase(className);
  // Rights are asked for the text of an address: a second text for one agent would have other rights.
  if (canonical !== addressClass)
    throw new OffshootError('not_found', `No class is written "${addressClass}" in an address; try "${canonical}".`);
  return { addressClass, className, name };
}

/**
 * Reads the address at the beginning of a path. The address ends at the first segment that is not
 * `/sub/{class}/{name}`.
 * @param path as it is in the URL, still percent-encoded: nothing is decoded, so an encoded slash or dot is no address.
 * @throws OffshootError `invalid_address`; `not_found` for a class in another form than its own
 */
export function parseAddress(path: string): ParsedAddress {
  const segments = path.split('/');
  if (segments[0] !== '' || segments[1] !== 'agents') invalidAddress('An address begins with /agents/.');
  const root = level(segments[2], segments[3], checkRootName);
  const below: Level[] = [];
  let next = 4;
  for (; segments[next] === 'sub'; next += 3) below.push(level(segments[next + 1], segments[next + 2]));
  return { root, below, address: formatAddress(root, below), rest: segments.slice(next) };
}

/** True for the text of an address, with nothing behind it. */
export function isAddress(text: string): boolean {
  try {
    return parseAddress(text).rest.length === 0;
  } catch (error) {
    if (error instanceof OffshootError) return false;
    throw error;
  }
}

/** The text of an address. */
export function formatAddress(
  root: Pick<Level, 'addressClass' | 'name'>,
  below: readonly Pick<Level, 'addressClass' | 'name'>[],
): string {
  const tail = below.map(({ addressClass, name }) => `/sub/${addressClass}/${name}`).join('');
  return `/agents/${root.addressClass}/${root.name}${tail}`;
}

const AGENTS = '/agents/';

/** The id of the session at an address as a thread (Standard Agents): the address without `/agents/`. */
export const threadIdOf = (address: string): string => address.slice(AGENTS.length);

/** The address of the agent whose thread has that id. @param id also with `%2F` for its slashes */
export const addressOfThread = (id: string): string => `${AGENTS}${id.replaceAll(/%2f/gi, '/')}`;

/** Returns true if an address is the other one, or is below it. */
export function isWithin(address: string, top: string): boolean {
  return address === top || address.startsWith(`${top}/`);
}

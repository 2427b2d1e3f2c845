/**
 * One call among those of all agents: two agents may have calls of one id, as models number them anew and copies keep them.
 *
 * Keeps CN127.
 */
import type { Document } from '../../client';
import { AT } from './place';

/** Where a call is. */
export type Called = Pick<Document<'pendingItem'>, 'toolCallId' | 'address'>;

/** The call's key: no id and no address has a space. */
export const callKey = ({ address, toolCallId }: Called): string => `${address} ${toolCallId}`;

/** The key of a call with the arguments that were shown. */
export const shownKey = (item: Document<'pendingItem'>): string => `${callKey(item)} ${item.inputHash}`;

/** The call with that key. */
export const callOf = <Call extends Called>(calls: readonly Call[], key: Called): Call | undefined =>
  calls.find((call) => callKey(call) === callKey(key));

/** The call that a path of the inbox names; its address may be missing there. */
export const callNamed = <Call extends Called>(
  calls: readonly Call[],
  toolCallId: string | undefined,
  address: string,
): Call | undefined =>
  calls.find((call) => call.toolCallId === toolCallId && (address === '' || call.address === address));

const INBOX = `${AT}/inbox/`;

/** The path of a call in the inbox; `more` are further parameters. */
export function callPath({ address, toolCallId }: Called, more: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries({ ...more, at: address }).filter(([, value]) => value !== '');
  return `${INBOX}${encodeURIComponent(toolCallId)}?${new URLSearchParams(given)}`;
}

/** Whether a path of the inbox names that call. */
export function isCallAt(call: Called, place: string): boolean {
  const [own, given] = [callPath(call), place].map((path) => new URL(path, 'https://a.test'));
  const isSamePath = own !== undefined && given !== undefined && unescaped(own.pathname) === unescaped(given.pathname);
  return isSamePath && given.searchParams.get('at') === call.address;
}

/** A path as the router has it, without escapes. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

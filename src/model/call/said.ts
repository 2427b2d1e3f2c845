/**
 * Calls as models write them: the name with markup of the model around it, and arguments that are no object.
 *
 * Decides: which tool a call names; which arguments a call has.
 * Keeps M95, M96.
 */
import type { ReplyCall } from '../../core/definition/model-port';
import { exactJson } from '../../protocol/content/exact-json';
import { isObject } from '../../protocol/json';

/** The name of the tool that a call names: as it is given, or without the markup of its model where that is a tool. */
export function calledName(given: string, tools: ReadonlySet<string>): string {
  if (tools.has(given)) return given;
  const bare = given
    .replace(/<\|.*$/s, '')
    .trim()
    .replace(/^functions\./, '');
  return tools.has(bare) ? bare : given;
}

/** The arguments of a call. None, and `null`, are those of a tool without any; a text may hold the object. */
export function readArguments(text: string): Pick<ReplyCall, 'input' | 'malformed'> {
  if (text.trim() === '') return { input: {} };
  const read = exactJson(text);
  if (!read.ok) return { input: {}, malformed: text };
  if (read.json === null) return { input: {} };
  if (typeof read.json !== 'string') return { input: read.json };
  const within = readArguments(read.json);
  return within.malformed === undefined && isObject(within.input) ? within : { input: read.json };
}

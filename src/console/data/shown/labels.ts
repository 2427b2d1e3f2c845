/** Labels of calls and limits. */
import { beginningOf } from '../../../protocol/content/cut';
import { isObject } from '../../../protocol/json';
import { bytes, cost, escaped, exact, span } from '../../parts/words';

/** Characters of a label. */
const LABEL = 160;

/** The arguments of a call on one line: of one argument its value alone. */
export function labelOf(input: unknown): string {
  const values = isObject(input) ? Object.values(input) : [];
  const only = values.length === 1 ? values[0] : input;
  const text = typeof only === 'string' ? only.replaceAll(/\s+/gu, ' ').trim() : (JSON.stringify(only) ?? '');
  return escaped(beginningOf(text === '{}' ? '' : text, LABEL));
}

const LIMITS: Readonly<Record<string, string>> = {
  maxSteps: 'Steps of one turn',
  maxConcurrentCalls: 'Tools of one step at once',
  maxConcurrentChildren: 'Sub-agents of the tree at work at once',
  maxChildren: 'Sub-agents of one agent at once',
  maxCompanions: 'Lasting sub-agents of one agent',
  maxTreeChildren: 'Sub-agents of the tree in all',
  maxDepth: 'Levels of the tree',
  toolTimeoutMs: 'Time of a tool',
  childTimeoutMs: 'Time of a sub-agent',
  childReachMs: 'Time to reach a sub-agent',
  childStopMs: 'Time to stop a sub-agent',
  modelFirstChunkMs: 'Time to the first reply of the model',
  modelStallMs: 'Time between two parts of a reply',
  modelRetries: 'Further attempts of a model call',
  modelPatienceMs: 'Time to wait for an overloaded model',
  maxConcurrentModelCalls: 'Model calls of the tree at once',
  maxSameFailures: 'Steps in a row with the same failure',
  modelRetryBaseMs: 'Wait before the second attempt',
  modelRetryAfterMs: 'Longest wait that a provider may ask for',
  maxRecoveries: 'Recoveries without progress',
  maxToolReplays: 'Starts of a tool that may run again',
  maxToolResultBytes: 'Size of a result',
  maxMessageBytes: 'Size of a message',
  maxCostUsd: 'Cost',
  maxTokens: 'Tokens',
  maxWallMs: 'Time of a run',
};

/** The name of a limit in words. */
export const limitSays = (name: string): string =>
  LIMITS[name] ??
  name
    .replace(/(?:Ms|Bytes|Usd)$/u, '')
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./u, (letter) => letter.toUpperCase());

/** The value of a limit with its unit, which its name ends with. */
export function limitValue(name: string, value: number): string {
  if (name.endsWith('Ms')) return span(value);
  if (name.endsWith('Bytes')) return bytes(value);
  if (name.endsWith('Usd')) return cost({ costUsd: value }, false);
  return exact(value);
}

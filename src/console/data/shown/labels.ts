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
  maxSteps: 'Steps per run',
  maxConcurrentCalls: 'Concurrent tools per step',
  maxConcurrentChildren: 'Concurrently working sub-agents in the tree',
  maxChildren: 'Live sub-agents per agent',
  maxCompanions: 'Companions per agent',
  maxTreeChildren: 'Sub-agents created per run of the tree',
  maxDepth: 'Tree depth',
  toolTimeoutMs: 'Tool timeout',
  childTimeoutMs: 'Sub-agent timeout',
  childReachMs: 'Time to reach a sub-agent',
  childStopMs: 'Time to stop a sub-agent',
  modelFirstChunkMs: "Timeout for the model's first chunk",
  modelStallMs: 'Timeout between two chunks of a reply',
  modelRetries: 'Retries of a model call',
  modelPatienceMs: 'Maximum wait for an overloaded model',
  maxConcurrentModelCalls: 'Concurrent model calls in the tree',
  maxSameFailures: 'Steps in a row with the same failure',
  modelRetryBaseMs: 'Wait before the second attempt',
  modelRetryAfterMs: 'Longest wait that a provider may ask for',
  maxRecoveries: 'Recoveries without progress',
  maxToolReplays: 'Executions of a replay-safe tool call',
  maxToolResultBytes: 'Size of a result',
  maxMessageBytes: 'Size of a message',
  maxCostUsd: 'Cost',
  maxTokens: 'Tokens',
  maxWallMs: 'Run duration',
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

/**
 * Checks of what authors write: definitions, and arguments of what a body may call.
 *
 * Decides: which option a misspelt one is taken for.
 * Keeps A126, CL11, DF1, DF24, DF29, DF30, DF45, DF46.
 */
import { isBlank } from '../../protocol/content/blank';
import { OffshootError } from '../../protocol/errors';

/** @throws OffshootError `invalid_definition`, with what to change */
export function invalidDefinition(what: string): never {
  throw new OffshootError('invalid_definition', what);
}

/** Names of options in other frameworks, in lower case, with ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  instructions: 'systemPrompt',
  system: 'systemPrompt',
  parameters: 'inputSchema',
  schema: 'inputSchema',
  handler: 'execute',
  run: 'execute',
  func: 'execute',
  needsapproval: 'requireApproval',
  interrupton: 'requireApproval',
  timeout: 'timeoutMs',
  outputtype: 'outputSchema',
  responseformat: 'outputSchema',
  maxturns: 'maxSteps',
  maxiterations: 'maxSteps',
  middleware: 'hooks',
  callbacks: 'hooks',
  recursionlimit: 'maxSteps',
  interrupt: 'requireApproval',
  returndirect: 'finishWith',
};

const AS_A_TOOL = 'list `createSubAgentTool(agent)` in `tools`';
/** Names in other frameworks, in small letters, that an agent has no option for, with its way to the same. */
const OTHER_ADVICE: Readonly<Record<string, string>> = {
  subagents: AS_A_TOOL,
  agents: AS_A_TOOL,
  handoffs: AS_A_TOOL,
  interrupton: 'set `requireApproval` on the tool',
  temperature: 'set `settings.temperature`',
  maxtokens: 'set `settings.maxOutputTokens`, or `limits.maxTokens` for a whole run',
  checkpointer: 'leave it out: every agent keeps its state',
  memory: 'leave it out: every agent keeps its conversation, and `workspace: true` adds files',
  backend:
    'set `workspace: true`; what several roots share is kept behind a binding, which tools read in `context.env`',
  store: 'keep what several roots share behind a binding, which tools read in `context.env`',
  skills: 'put their texts into `systemPrompt`, or let a tool read them',
  contextschema: 'set `inputSchema` for the data of a run; tools read bindings in `context.env`',
};

/** A name in small letters, without the marks between its words. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** The option that a name was meant for, where one is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const small = plain(name);
  const other = Object.hasOwn(OTHER_NAMES, small) ? OTHER_NAMES[small] : undefined;
  if (other !== undefined && known.includes(other)) return other;
  const isNear = (one: string, edits: number): boolean => edits * 3 <= Math.max(one.length, 3);
  const [found] = known
    // A126. Each letter too many is an edit, so that no letter of a long name needs to be compared.
    .filter((one) => isNear(one, Math.abs(one.length - small.length)))
    .map((one) => ({ one, edits: editsBetween(small, one.toLowerCase()) }))
    .filter(({ one, edits }) => isNear(one, edits))
    .sort((a, b) => a.edits - b.edits);
  if (found !== undefined || small.length < SHORTEST_PART) return found?.one;
  const [longer] = known
    .filter((one) => one.toLowerCase().includes(small))
    .sort((one, other) => one.length - other.length);
  return longer;
}

/** A name of so many letters may be meant for one that it is a part of, as `steps` for `maxSteps`. */
const SHORTEST_PART = 4;

/** The number of letters to add, remove or change until one word is the other. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let other = 1; other <= to.length; other += 1) {
      const changed = (row[other - 1] ?? 0) + (from[at - 1] === to[other - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A misspelt option would be left out without a word, and with it what it should guard. */
export function refuseUnknown(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    invalidDefinition(
      `${what} must be an object with options, but is ${kindOf(options)}. Available options: ${known.join(', ')}.`,
    );
  const problem = unknownProblem(options, known);
  if (problem !== undefined) invalidDefinition(`${what}: ${problem}`);
}

/** Problem of names that no option has, as a sentence. It lists the options only if a name has no advice. */
export function unknownProblem(options: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length === 0) return undefined;
  const isOfAgent = known.includes('systemPrompt');
  const advice = unknown.map((name) => (isOfAgent && adviceFor(name)) || meantBy(nearest(name, known)));
  const list = advice.includes('') ? ` Available options: ${known.join(', ')}.` : '';
  return `unknown options: ${unknown.join(', ')}.${[...new Set(advice)].join('')}${list}`;
}

const meantBy = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean \`${name}\`?`);

/** The advice for an option of another framework that an agent does otherwise. */
function adviceFor(name: string): string {
  const small = plain(name);
  return Object.hasOwn(OTHER_ADVICE, small) ? ` For \`${name}\`, ${OTHER_ADVICE[small]}.` : '';
}

/** Refuses an agent among tools. */
export function refuseAgents(where: string, tools: object | null): void {
  for (const tool of Object.values(tools ?? {}))
    if (typeof tool === 'object' && tool !== null && 'addressClass' in tool)
      invalidDefinition(
        `${where}: "${String(tool.name)}" is an agent. List \`createSubAgentTool(agent)\` in \`tools\`, with that agent.`,
      );
}

/** The name of a definition in an error, such as `Tool "clock"`; `A tool` where it has none. */
export const labelOf = (kind: string, given: unknown): string =>
  typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string'
    ? `${kind} "${given.name}"`
    : `${/^[AEIOU]/.test(kind) ? 'An' : 'A'} ${kind.toLowerCase()}`;

/** The kind of a wrong value, in words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const KINDS = {
  text: ['a string', (value: unknown) => typeof value === 'string'],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  list: ['a list', (value: unknown) => Array.isArray(value)],
  object: ['an object', (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)],
} as const;

/** Refuses an argument of a wrong kind, at what a body may call. @throws OffshootError `invalid_input` */
export function checkGiven(what: string, given: unknown, kind: keyof typeof KINDS): void {
  const [words, fits] = KINDS[kind];
  if (!fits(given)) throw new OffshootError('invalid_input', `${what} must be ${words}, but is ${kindOf(given)}.`);
}

/** Refuses an option of a wrong kind; one that is missing has its default. */
export function checkKinds(where: string, options: object, kinds: Readonly<Record<string, keyof typeof KINDS>>): void {
  for (const [option, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option] : undefined;
    if (value === undefined || kind === undefined) continue;
    const [words, fits] = KINDS[kind];
    if (!fits(value)) invalidDefinition(`${where}: \`${option}\` must be ${words}, but is ${kindOf(value)}.`);
    if (kind === 'text') checkSaid(where, option, value);
  }
}

/** Refuses a text for a model that is blank: no provider takes it. An empty one says that there is none. */
function checkSaid(where: string, option: string, text: unknown): void {
  if (typeof text === 'string' && text !== '' && isBlank(text))
    invalidDefinition(`${where}: \`${option}\` is blank; write something, or pass an empty string.`);
}

/** Refuses a text that has to be there and is missing, empty or blank; `such as` shows one. */
export function checkNeeded(where: string, option: string, text: unknown, example: string): void {
  if (typeof text === 'string' && !isBlank(text)) return;
  const problem = typeof text === 'string' ? 'is empty' : `must be a string, but is ${kindOf(text)}`;
  invalidDefinition(`${where}: \`${option}\` ${problem}. Write ${example}.`);
}

/** Refuses an agent without a system prompt, without a model, or without both. */
export function needsMore(where: string, needed: Readonly<Record<'systemPrompt' | 'model', unknown>>): never {
  const missing = Object.entries(needed).flatMap(([option, value]) => (value === undefined ? [`\`${option}\``] : []));
  invalidDefinition(
    `${where} has no ${missing.join(' and no ')}: set ${missing.length === 1 ? 'it' : 'them'}, or pass a \`prompt\` from \`definePrompt\`.`,
  );
}

/** Refuses a `prompt` that is none from `definePrompt`. */
export function refuseOtherThanPrompt(where: string, prompt: unknown): void {
  if (typeof prompt === 'object' && prompt !== null && 'recentImageThreshold' in prompt) return;
  invalidDefinition(
    `${where}: \`prompt\` must be a prompt from \`definePrompt\`, but is ${kindOf(prompt)}. A text belongs in \`systemPrompt\`.`,
  );
}

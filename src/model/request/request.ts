/**
 * The pass between the transcript that is kept and a provider: makes a prompt that the provider takes. It is pure, and changes
 * none of its arguments. The same history makes the same prompt, and a longer one the same beginning, so that a
 * provider's cache holds.
 *
 * Keeps M11, M60, M72, M73, M106.
 */
import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, LanguageModelV4ProviderTool } from '@ai-sdk/provider';
import type { ModelRequest, ProviderToolSpec, ToolSpec } from '../../core/definition/model-port';
import { isBlank } from '../../protocol/content/blank';
import { OffshootError } from '../../protocol/errors';
import { crowdedOut, type Omissions } from './crowd';
import { Pairs } from './pairs';
import type { Profile } from './profile';
import { type Shaped, shaped, type UserPart } from './shape';
import { wellFormed, wellFormedObject } from './texts';
import { Turns } from './turns';
import { inWords } from './words';

/** The messages of a request, and its tools. */
type Said = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'providerTools'>;

/** A request as its provider takes it. */
export interface TakenRequest {
  readonly prompt: LanguageModelV4Prompt;
  readonly tools: (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[];
  /** Notes for people on parts that the request omits, each with its subject. */
  readonly notes: readonly { readonly about: object; readonly text: string }[];
}

/** No files that models made. */
const NO_FILES: ReadonlyMap<string, string> = new Map();

/**
 * A request as a provider takes it.
 * @param files those that models made, in base64 by their paths
 */
export function toRequest(
  { system, messages, tools, providerTools = [] }: Said,
  profile: Profile,
  files = NO_FILES,
): TakenRequest {
  const notes: { about: object; text: string }[] = [];
  const ran = providerTools.filter((tool) => runsTool(profile, tool)).slice(0, profile.mostTools);
  const isBare = profile.callsNeedTools && tools.length + ran.length === 0;
  const given = messages.map((message) => shaped(isBare ? inWords(message) : message, profile));
  const first = given.findIndex(({ role }) => role !== 'system' && role !== 'none');
  const leading = given.slice(0, first < 0 ? given.length : first);
  const conversation = first < 0 ? [] : given.slice(first);
  const kept = fittingTools(tools, profile.mostTools - ran.length);
  for (const tool of providerTools) if (!ran.includes(tool)) notes.push({ about: tool, text: unrunNote(tool) });
  const without = toolNote(tools, kept, kept.length + ran.length);
  if (without !== undefined) notes.push({ about: tools, text: without });
  const systems = [
    ...(isBlank(system) ? [] : [wellFormed(system)]),
    ...(without === undefined ? [] : [`[${without}]`]),
    ...leading.flatMap((one) => (one.role === 'system' ? [one.content] : [])),
  ];
  const out = crowded(conversation, profile);
  const prompt = write(conversation, new Turns(systems, profile), new Pairs(conversation, profile, out, files));
  for (const [about, { note }] of out) notes.push({ about, text: note });
  for (const one of conversation) if ('notes' in one) for (const text of one.notes) notes.push({ about: one, text });
  return { prompt, tools: [...kept.map(toolOf), ...ran.map(providerToolOf)], notes };
}

/** True where the provider runs that tool. Others would refuse a request with it, or leave it out silently. */
const runsTool = ({ runs }: Profile, { id }: ProviderToolSpec): boolean =>
  runs === 'any' || runs.some((company) => id.startsWith(`${company}.`));

const unrunNote = ({ name, id }: ProviderToolSpec): string =>
  `The tool ${name} (${id}) is not in the request: the provider of the model does not run it.`;

const isToolId = (id: string): id is LanguageModelV4ProviderTool['id'] => id.includes('.');

function providerToolOf({ name, id, args }: ProviderToolSpec): LanguageModelV4ProviderTool {
  if (!isToolId(id)) throw new OffshootError('invalid_definition', `"${id}" is not the id of a provider's tool.`);
  return { type: 'provider', id, name, args };
}

function write(conversation: readonly Shaped[], turns: Turns, pairs: Pairs): LanguageModelV4Prompt {
  const placed = (part: UserPart): UserPart => pairs.out.get(part)?.part ?? part;
  for (const one of conversation) {
    switch (one.role) {
      case 'system':
        turns.system(one.content);
        break;
      case 'user':
        turns.user(one.files.length === 0 ? one.content : one.content.map(placed), one.notice);
        break;
      case 'assistant': {
        turns.reply(pairs.messages(one));
        const files = pairs.filesOf(one);
        if (files.length > 0) turns.user([RESULT_FILES, ...files.map(placed)], true);
        break;
      }
      case 'tool': {
        const text = pairs.orphan(one);
        if (text !== undefined) turns.user([{ type: 'text', text }]);
      }
    }
  }
  return turns.end();
}

/** The text before the files of a result that are sent behind it. */
const RESULT_FILES = { type: 'text', text: '[Files of the results above:]' } as const;

function crowded(conversation: readonly Shaped[], profile: Profile): Omissions {
  const files = conversation.flatMap((one) => (one.role === 'user' || one.role === 'tool' ? one.files : []));
  return files.length === 0 ? NONE_OUT : crowdedOut(files, profile);
}

const NONE_OUT: Omissions = new Map();

const knownTools = new WeakMap<ToolSpec, LanguageModelV4FunctionTool>();

/** A tool as the provider interface has it. */
function toolOf(spec: ToolSpec): LanguageModelV4FunctionTool {
  const known = knownTools.get(spec);
  if (known) return known;
  const { name, description, inputSchema, strict, inputExamples, providerOptions } = spec;
  const tool = {
    type: 'function' as const,
    name,
    description: wellFormed(description),
    inputSchema: wellFormedObject(inputSchema),
    ...(strict === undefined ? {} : { strict }),
    ...(inputExamples ? { inputExamples: inputExamples.map(({ input }) => ({ input: wellFormedObject(input) })) } : {}),
    ...(providerOptions ? { providerOptions } : {}),
  };
  knownTools.set(spec, tool);
  return tool;
}

/**
 * The tools of a request, of at most that number, in their order. Those of the framework come last and stay: the run of an
 * agent with a typed output ends by one of them alone.
 */
function fittingTools(tools: readonly ToolSpec[], most: number): readonly ToolSpec[] {
  if (tools.length <= most) return tools;
  let room = Math.max(0, most - tools.filter(isFramework).length);
  return tools.filter((tool) => isFramework(tool) || room-- > 0).slice(0, Math.max(0, most));
}

/** No tool of an author is named so. */
const isFramework = ({ name }: ToolSpec): boolean => name.startsWith('__');

/** The note on tools beyond the number that a provider takes. */
function toolNote(tools: readonly ToolSpec[], kept: readonly ToolSpec[], most: number): string | undefined {
  if (kept.length === tools.length) return undefined;
  const names = tools.filter((tool) => !kept.includes(tool)).map(({ name }) => name);
  return `The model accepts at most ${most} tools, so these cannot be called: ${names.join(', ')}.`;
}

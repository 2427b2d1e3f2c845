/**
 * Files that go with a message or an end, by copy.
 *
 * Decides: how many files go with a message; the paths that they get; what a model is told of files that came with a message
 * or an end.
 *
 *   sender    names a file: it is held as it is in the transaction of the message ─ brought over ─ then the message
 *   receiver  has what was brought, unseen ─ its files in the transaction that takes the message
 *
 * CF1. Whoever takes a message has its files from the same transaction on, and never the one without the other.
 * CF2. A copy is what the file was when it was named, whatever becomes of either of them.
 * CF3. A path means a file of whoever reads it.
 */
import * as z from 'zod';
import { isBlank } from '../../../protocol/content/blank';
import { failure } from '../../../protocol/errors';
import { isObject, type Json, type JsonObject } from '../../../protocol/json';
import {
  type CallResult,
  type FilePart,
  type FileReference,
  partsOfResult,
  type UserPart,
} from '../../../protocol/messages';
import type { Applied, FileMove } from '../changes';
import type { Child } from '../children/child';
import type { Draft } from '../draft';
import type { VariableRequest } from '../events';
import type { Brought, Enclosure, KnownFiles } from '../inbound';
import type { BuiltInPlan } from '../rules';
import type { AgentState, EndedTask, GivenFile, Run } from '../state';

/** So many files go with one message or end. */
export const MAX_ENCLOSED = 20;

/** The longest path, in characters. */
const MAX_PATH = 1_024;

/** A path of a file of the agent. */
export const pathSchema = z.string().min(1).max(MAX_PATH);

/** Files that an argument names for whoever it is mapped for: one path, or several. */
export const pathsSchema = z
  .union([pathSchema, z.array(pathSchema).max(MAX_ENCLOSED)])
  .describe('Paths of your files to send, with their current content; [] for none.');

/** Where copies are with whoever gets them. */
const FOLDER = 'attachments';

/** Characters of a name that are kept, and of what is behind its last dot. */
const MAX_STEM = 64;
const MAX_EXTENSION = 16;

/** What tells files of one name apart: the end of the randomness of their event. */
const TELLS_APART = 8;

/** The keys of all that is held for somebody until it is brought over. */
export const ALL_HELD = 'out/';
/** Those of what has come, and is nobody's file yet. */
const IN = 'in/';

/** The key under which the sender holds a file; no key begins with another one. */
export const heldKey = (path: string): string => `${ALL_HELD}${path}/`;

/** The keys of what is held for children that wait for variables: those whose time is up first come first. */
const LATER = `${ALL_HELD}later/`;
const laterThan = (expiresAt: number): string => `${LATER}${String(expiresAt).padStart(LATER_DIGITS, '0')}/`;
const laterKey = ({ requestId, expiresAt }: Waiting, path: string): string =>
  `${laterThan(expiresAt)}${requestId}/${path}/`;

/** Digits of a time in ms, for as long as there are dates. */
const LATER_DIGITS = 16;

type Waiting = Pick<VariableRequest, 'requestId' | 'expiresAt'>;

/** The key under which the receiver has what came from a session. */
export const comeKey = (from: string, path: string): string => `${IN}${from}/${path}`;

/** What a name ends with that says nothing of it itself, by its media type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/html': 'html',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'video/mp4': 'mp4',
};

function extensionOf(mediaType: string): string {
  const [type = ''] = mediaType.split(';');
  return (Object.hasOwn(EXTENSIONS, type) && EXTENSIONS[type]) || 'bin';
}

/** Where the copy of a file is: its name, cleaned, and what tells it from any other. */
function pathOfCopy(path: string, mediaType: string, mark: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const cleaned = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const stem = cleaned(dot > 0 ? name.slice(0, dot) : name).slice(0, MAX_STEM);
  const own = dot > 0 ? cleaned(name.slice(dot + 1)).slice(0, MAX_EXTENSION) : '';
  return `${FOLDER}/${stem}-${mark}.${own || extensionOf(mediaType)}`;
}

/** A call that names files of its agent. */
interface NamingCall {
  readonly index: number;
  readonly token: string;
  readonly files: KnownFiles;
}

/** The paths that a value names: one or several, each as a text or as `{ path }`; or what is wrong with it. */
export function pathsIn(value: Json): { readonly paths: readonly string[] } | { readonly problem: string } {
  const given = Array.isArray(value) ? value : value === null || value === '' ? [] : [value];
  const paths = given.map((one) => pathSchema.safeParse(isObject(one) ? one.path : one).data);
  if (!paths.every((path) => path !== undefined))
    return { problem: `must be a path, or a list of paths, of 1 to ${MAX_PATH} characters` };
  // A path is taken with or without a slash before it.
  const named = [...new Set(paths.map((path) => path.replace(/^\/(?=.)/, '')))];
  return named.length > MAX_ENCLOSED
    ? { problem: `names ${named.length} files: at most ${MAX_ENCLOSED} can be sent` }
    : { paths: named };
}

/** The files that a call names, held as they are now; or why they cannot go along. @param maxBytes of each, with who gets them */
export function enclose(
  draft: Draft,
  { index, token, files }: NamingCall,
  paths: readonly string[],
  maxBytes?: number,
): readonly Enclosure[] | (BuiltInPlan & { kind: 'refused' }) {
  const named = ownFiles(draft, files, paths, maxBytes);
  if ('kind' in named) return named;
  return named.map(({ path, ...known }, at) => {
    const mark = `${token.slice(-TELLS_APART)}${index.toString(36)}${at.toString(36)}`;
    const copy = pathOfCopy(path, known.mediaType, mark);
    draft.moveFile({ move: 'hold', key: heldKey(copy), path });
    return { path: copy, ...known };
  });
}

/** The files of the agent's own that are named, each once, as they are now; or what is wrong with each of them. */
export function ownFiles(
  { state }: Pick<Draft, 'state'>,
  files: KnownFiles,
  paths: readonly string[],
  maxBytes = Number.POSITIVE_INFINITY,
): readonly Enclosure[] | (BuiltInPlan & { kind: 'refused' }) {
  if (state.session.workspace?.is === 'inherited')
    return no(
      'You work on the files of the agent above you, and have none of your own to send. Name the files in your text instead.',
    );
  const found: Enclosure[] = [];
  const problems: string[] = [];
  for (const path of new Set(paths)) {
    const known = Object.hasOwn(files, path) ? files[path] : undefined;
    if (known === undefined) problems.push(`There is no file "${path}".`);
    else if (known.size > maxBytes)
      problems.push(`"${path}" has ${known.size} bytes, more than the limit of ${maxBytes}.`);
    else found.push({ path, size: known.size, mediaType: known.mediaType, etag: known.etag });
  }
  return problems.length > 0 ? no(`Nothing was sent. ${problems.join(' ')}`) : found;
}

const no = (message: string): BuiltInPlan & { kind: 'refused' } => ({
  kind: 'refused',
  error: failure('invalid_arguments', message),
});

/** What was held for a message is held for a child that waits for variables, as long as that may wait. */
export function keepForLater(draft: Draft, request: VariableRequest): void {
  // Those whose time is up have no other moment to go.
  draft.moveFile({ move: 'drop', prefix: LATER, before: laterThan(request.at) });
  for (const { path } of request.planned.registers?.enclosed ?? [])
    draft.moveFile({ move: 'rename', key: heldKey(path), to: laterKey(request, path) });
}

/** The same the other way: the child begins. */
export function keptForLater(draft: Draft, request: VariableRequest): void {
  for (const { path } of request.planned.registers?.enclosed ?? [])
    draft.moveFile({ move: 'rename', key: laterKey(request, path), to: heldKey(path) });
}

/** What came with a message is from here on among the files. */
export function receive(draft: Draft, from: string, files: readonly Enclosure[] = []): void {
  for (const { path } of files) draft.moveFile({ move: 'place', key: comeKey(from, path), path });
}

/** Files as a model reads of them. */
export function listed(files: readonly Enclosure[]): string {
  return files.map(({ path, mediaType, size }) => `- ${path} (${mediaType}, ${size} bytes)`).join('\n');
}

/** The files that a model can be shown as what they are. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)\b/i;

/** The files among these that a model is shown, by their paths. */
export function shownFiles(files: readonly Enclosure[]): readonly FileReference[] {
  return files
    .filter(({ mediaType }) => SHOWN.test(mediaType))
    .map(({ path, size, mediaType, etag }) => ({ type: 'file', mediaType, filename: path, path, size, etag }));
}

/** Ends of tasks, with the files that came with them. */
export type EndsWithFiles = readonly Partial<EndedTask>[];

const returnedFiles = (returned: Brought | undefined): readonly FileReference[] =>
  returned && 'files' in returned ? shownFiles(returned.files) : [];

/** A text with the files that a model is shown with it. */
export function withShown(
  text: string,
  returned: Brought | undefined,
  inside: readonly FilePart[] = [],
): string | readonly UserPart[] {
  const files = [...inside, ...returnedFiles(returned)];
  return files.length === 0 ? text : [{ type: 'text', text }, ...files];
}

/** The message that shows a model the files which came with the ends of tasks; undefined where there are none to show. */
export function shownWith(ends: EndsWithFiles): readonly UserPart[] | undefined {
  const files = ends.flatMap((end) => returnedFiles(end.brought));
  if (files.length === 0) return undefined;
  return [{ type: 'text', text: `Files of the results above: ${files.map(({ path }) => path).join(', ')}` }, ...files];
}

/** What a model reads of the files that came with the end of a task. */
export function toldFiles(brought: Brought | undefined): JsonObject {
  if (brought === undefined) return {};
  if ('failed' in brought) return { filesError: brought.failed };
  return { files: brought.files.map(({ path, size, mediaType }) => ({ path, size, mediaType })) };
}

/** The files that a child hands over with the end of its task, if it has named any; not where it goes on from there. */
export function givenWith(run: Run | undefined): readonly Enclosure[] {
  if (run?.phase !== 'ended' || run.gives === undefined) return [];
  const { status } = run.outcome;
  if (status !== 'completed' && status !== 'failed') return [];
  return run.gives.filter(({ by }) => by === undefined || by === run.endsBy).map(({ by: _by, ...file }) => file);
}

/** What is held for the messages of a child. */
const heldFor = ({ mailbox }: Child): string[] =>
  (mailbox?.messages ?? []).flatMap(({ message: { files = [] } }) => files.map(({ path }) => heldKey(path)));

/** The keys under which a state holds files for somebody, of the parts of it that another one does not have as they are. */
function heldBeside(state: AgentState, other: AgentState): Set<string> {
  const held = new Set<string>();
  if (state.run !== other.run) for (const { path } of owedBy(state.run)) held.add(heldKey(path));
  if (state.children !== other.children)
    // Of a wide tree, at each of its ends: what most children are, nothing is made for.
    for (const child of state.children.values())
      if (child.mailbox && other.children.get(child.childId) !== child) for (const key of heldFor(child)) held.add(key);
  return held;
}

/** What of the files that a run gives may still be asked for. */
function owedBy(run: Run | undefined): readonly GivenFile[] {
  const { gives = [] } = run ?? {};
  if (run?.phase !== 'ended' || run.acknowledged === false || run.outcome.status === 'interrupted') return gives;
  return run.outcome.status === 'failed' ? givenStill(gives) : [];
}

/** What a run gives that tries again one which gave these: what a call named that was to end that one went with its end. */
export const givenStill = (gives: readonly GivenFile[]): GivenFile[] => gives.filter(({ by }) => by === undefined);

/** What becomes of files with an event, in order: beside what it says itself, what nobody waits for any more goes. */
export function movesOf(before: AgentState, { state, moves = [] }: Applied): readonly FileMove[] {
  const now = heldBeside(state, before);
  const then = heldBeside(before, state);
  const goOn = new Set(moves.flatMap((one) => (one.move === 'rename' ? [one.key] : [])));
  const wanted = moves.filter((one) => one.move !== 'hold' || now.has(one.key) || goOn.has(one.key));
  const dropped = [...then].filter((key) => !now.has(key));
  // Nobody begins any more who waited for variables.
  if (state.session.terminated && !before.session.terminated) dropped.push(LATER);
  return [...wanted, ...[...dropped, ...leftOver(before, state)].map((prefix) => ({ move: 'drop' as const, prefix }))];
}

/** What had come for something that is over. */
function leftOver(before: AgentState, { run, session, children }: AgentState): string[] {
  const isFurther = before.run?.task !== undefined && run?.task !== undefined && run.task.task !== before.run.task.task;
  const fromParent = isFurther && session.parent ? [comeKey(session.parent.sessionId, '')] : [];
  if (before.children === children) return fromParent;
  const closed: string[] = [];
  for (const { childId, sessionId, setup, terms } of before.children.values())
    if ((setup.givesFiles ?? terms.brings) && !children.has(childId)) closed.push(comeKey(sessionId, ''));
  return [...fromParent, ...closed];
}

/** A result as a text. Other values become JSON, and a blank one is reported as blank. */
export function textOf(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isBlank(value) ? '[It says nothing.]' : value;
}

/** The result of a session with the files that came back with it, as an envelope and a call that waited tell it. */
export function withReturned(result: CallResult, brought: Brought | undefined): CallResult {
  const told = returned(brought);
  if (told === '') return result;
  if (!result.success) return { success: false, error: { ...result.error, message: `${result.error.message}${told}` } };
  const parts = partsOfResult(result.value);
  if (parts) return { success: true, value: { type: 'content', value: [...parts, { type: 'text', text: told }] } };
  return { success: true, value: `${textOf(result.value)}${told}` };
}

function returned(brought: Brought | undefined): string {
  if (brought === undefined) return '';
  if ('failed' in brought) return `\n\nFiles that it returned could not be copied: ${brought.failed}`;
  if (brought.files.length === 0) return '';
  return `\n\nIt returned files, which are yours now:\n\n${brought.files.map(({ path }) => path).join('\n')}`;
}

/** Tells the model of files that came with a result which is the child's own. */
export function filesNote(who: string, brought: Brought | undefined): string | undefined {
  if (brought === undefined) return undefined;
  if ('failed' in brought) return `The files that ${who} was to return could not be copied: ${brought.failed}`;
  return brought.files.length === 0
    ? undefined
    : `${who} returned files, which are yours now:\n${listed(brought.files)}`;
}

/** A message in words alone, as a transport to another Worker carries it: a line replaces each file. */
export const wordsOf = (content: string | readonly UserPart[]): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) =>
          part.type === 'text'
            ? part.text
            : `[The file ${part.filename ?? part.mediaType} was left out: an agent in another Worker gets only text.]`,
        )
        .join('\n');

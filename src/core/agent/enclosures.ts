/**
 * Files that go with a message or an end, by copy.
 *
 *   sender    names a file: it is held as it is in the transaction of the message ─ brought over ─ then the message
 *   receiver  has what was brought, unseen ─ its files in the transaction that takes the message
 *
 * CF1. Whoever takes a message has its files from the same transaction on, and never the one without the other.
 * CF2. A copy is what the file was when it was named, whatever becomes of either of them.
 * CF3. A path means a file of whoever reads it.
 */
import { failure } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import type { Applied, FileMove } from './changes';
import type { Child } from './child';
import type { Draft } from './draft';
import type { Brought, Enclosure, KnownFiles } from './inbound';
import type { BuiltInPlan } from './rules';
import type { AgentState, Run } from './state';

/** So many files go with one message or end. */
export const MAX_ENCLOSED = 20;

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

/** The key under which the receiver has what came from a session. */
export const comeKey = (from: string, path: string): string => `${IN}${from}/${path}`;

/** Where the copy of a file is: its name, cleaned, and what tells it from any other. */
function pathOfCopy(path: string, mark: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const cleaned = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const stem = cleaned(dot > 0 ? name.slice(0, dot) : name).slice(0, MAX_STEM);
  const extension = dot > 0 ? `.${cleaned(name.slice(dot + 1)).slice(0, MAX_EXTENSION)}` : '';
  return `${FOLDER}/${stem}-${mark}${extension}`;
}

/** A call that names files of its agent. */
interface NamingCall {
  readonly index: number;
  readonly token: string;
  readonly files: KnownFiles;
}

/** The files that a call names, held as they are now; or why they cannot go along. @param maxBytes of each, with who gets them */
export function enclose(
  draft: Draft,
  { index, token, files }: NamingCall,
  paths: readonly string[],
  maxBytes: number,
): readonly Enclosure[] | (BuiltInPlan & { kind: 'refused' }) {
  if (draft.state.session.workspace?.is === 'inherited')
    return no('You work on the files of the agent above you, and have none of your own to send. Name them in words.');
  const named = [...new Set(paths)];
  const problems = named.flatMap((path) => {
    const known = Object.hasOwn(files, path) ? files[path] : undefined;
    if (known === undefined) return [`There is no file "${path}".`];
    return known.size > maxBytes
      ? [`"${path}" has ${known.size} bytes, more than the ${maxBytes} that are taken.`]
      : [];
  });
  if (problems.length > 0) return no(`Nothing was sent. ${problems.join(' ')}`);
  return named.flatMap((path, at) => {
    const known = files[path];
    if (known === undefined) return [];
    const mark = `${token.slice(-TELLS_APART)}${index.toString(36)}${at.toString(36)}`;
    const copy = pathOfCopy(path, mark);
    draft.moveFile({ move: 'hold', key: heldKey(copy), path });
    const { size, mediaType, etag } = known;
    return [{ path: copy, size, mediaType, etag }];
  });
}

const no = (message: string): BuiltInPlan & { kind: 'refused' } => ({
  kind: 'refused',
  error: failure('invalid_arguments', message),
});

/** What came with a message is from here on among the files. */
export function receive(draft: Draft, from: string, files: readonly Enclosure[] = []): void {
  for (const { path } of files) draft.moveFile({ move: 'place', key: comeKey(from, path), path });
}

/** Files as a model reads of them. */
export function listed(files: readonly Enclosure[]): string {
  return files.map(({ path, mediaType, size }) => `- ${path} (${mediaType}, ${size} bytes)`).join('\n');
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
  return status === 'completed' || status === 'failed' ? run.gives : [];
}

/** What is held for the messages of a child. */
const heldFor = ({ mail = [] }: Child): string[] =>
  mail.flatMap(({ message: { files = [] } }) => files.map(({ path }) => heldKey(path)));

/** The keys under which a state holds files for somebody, of the parts of it that another one does not have as they are. */
function heldBeside(state: AgentState, other: AgentState): Set<string> {
  const held = new Set<string>();
  if (state.run !== other.run && isOwed(state.run))
    for (const { path } of state.run?.gives ?? []) held.add(heldKey(path));
  if (state.children !== other.children)
    for (const [childId, child] of state.children)
      if (other.children.get(childId) !== child) for (const key of heldFor(child)) held.add(key);
  return held;
}

/** Whether what a run gives may still be asked for. */
const isOwed = (run: Run | undefined): boolean =>
  run?.phase === 'active' || run?.acknowledged === false || isInterrupted(run);
const isInterrupted = (run: Run | undefined): boolean =>
  run?.phase === 'ended' && (run.outcome.status === 'interrupted' || run.outcome.status === 'failed');

/** What becomes of files with an event, in order: beside what it says itself, what nobody waits for any more goes. */
export function movesOf(before: AgentState, { state, moves = [] }: Applied): readonly FileMove[] {
  const now = heldBeside(state, before);
  const then = heldBeside(before, state);
  const wanted = moves.filter((one) => one.move !== 'hold' || now.has(one.key));
  const dropped = [...then].filter((key) => !now.has(key));
  return [...wanted, ...[...dropped, ...leftOver(before, state)].map((prefix) => ({ move: 'drop' as const, prefix }))];
}

/** What had come for something that is over. */
function leftOver(before: AgentState, { run, session, children }: AgentState): string[] {
  const isFurther = before.run?.task !== undefined && run?.task !== undefined && run.task.task !== before.run.task.task;
  const fromParent = isFurther && session.parent ? [comeKey(session.parent.sessionId, '')] : [];
  if (before.children === children) return fromParent;
  const closed = [...before.children.values()].filter(({ childId, gives }) => gives && !children.has(childId));
  return [...fromParent, ...closed.map(({ sessionId }) => comeKey(sessionId, ''))];
}

/** Tells the model of files that came with a result which is the child's own. */
export function filesNote(who: string, brought: Brought | undefined): string | undefined {
  if (brought === undefined) return undefined;
  if ('failed' in brought) return `The files that ${who} was to bring could not be brought: ${brought.failed}`;
  return brought.files.length === 0
    ? undefined
    : `${who} has brought files, which are yours now:\n${listed(brought.files)}`;
}

/**
 * Brings files to where the message is going that they belong to: before it is sent, and as often as it is (CF1). The
 * receiver keeps them unseen until it takes the message.
 *
 * Keeps CF1, CF2, CF6.
 */

import { comeKey, givenWith, heldKey } from '../../core/agent/calls/enclosures';
import type { FileMove } from '../../core/agent/changes';
import type { Child } from '../../core/agent/children/child';
import type { Brought, Enclosure, KnownFiles } from '../../core/agent/inbound';
import type { AgentState, ParentLink } from '../../core/agent/state';
import type { FileInfo, FileStore, KeptFiles } from '../../core/ports/file-store';
import { parseAddress } from '../../protocol/address';
import { boundedText, failureOf, OffshootError } from '../../protocol/errors';
import type { AgentDeps } from '../agent-deps';
import { refTo } from '../children/reach-child';
import type { FilesAnswer, FilesAsk, FilesCall } from '../object/object-calls';
import type { ParentAgent } from '../perform/performer';
import { segmentOf } from '../tree-messages';

type SendingAgent = Pick<ParentAgent, 'deps' | 'state'>;

interface GivingAgent {
  readonly deps: Pick<AgentDeps, 'kept' | 'askFiles'>;
  readonly state: AgentState;
}

/** Why files were not taken is told with so many characters. */
const MAX_WHY = 500;

/** From whom to whom files are brought, and how. */
interface Route {
  readonly kept: KeptFiles;
  /** Who sends. */
  readonly asker: ParentLink;
  /** The session that gets them. */
  readonly owner: string;
  /** @throws where it was not reached */
  send(call: FilesCall): Promise<FilesAnswer>;
  /** The way down to it. */
  readonly path: FilesCall['path'];
}

/**
 * Brings files; those that are there already are left. @returns why they were not taken, where the receiver says so
 * @throws where it was not reached; then try again
 */
async function bring(route: Route, files: readonly Enclosure[]): Promise<string | undefined> {
  for (const file of files) {
    const there = await asked(route, { op: 'has', file });
    if (!there.ok) return boundedText(there.error.message, MAX_WHY);
    if (there.op === 'has' && there.gives) continue;
    const held = route.kept.open(heldKey(file.path));
    if (held === undefined) return `${file.path} is no longer stored.`;
    const taken = await asked(route, { op: 'take', file }, held.body);
    if (!taken.ok) return boundedText(taken.error.message, MAX_WHY);
  }
  return undefined;
}

function asked(
  { asker, owner, send, path }: Route,
  ask: FilesAsk,
  bytes?: ReadableStream<Uint8Array>,
): Promise<FilesAnswer> {
  return send({ kind: 'files', path, owner, asker, ask, ...(bytes ? { bytes } : {}) });
}

/** To a child, before it is told what they belong to. @returns as `bring` does */
export function bringToChild(
  agent: SendingAgent,
  child: Child,
  files: readonly Enclosure[],
): Promise<string | undefined> {
  const { deps, state } = agent;
  const { sessionId, address } = state.session;
  const send = (call: FilesCall): Promise<FilesAnswer> => deps.children.send(refTo(child), call);
  return bring({ kept: deps.kept, asker: { sessionId, address }, owner: child.sessionId, send, path: [] }, files);
}

/** To the parent, before it is told of the end of its task. Gives what it is told of them, or nothing where there are none. */
export function bringToParent(agent: GivingAgent): Promise<Brought> | undefined {
  const { deps, state } = agent;
  const { parent, root, sessionId, address } = state.session;
  const files = givenWith(state.run);
  if (parent === undefined || files.length === 0) return undefined;
  const path = parseAddress(parent.address).below.map(segmentOf);
  const send = (call: FilesCall): Promise<FilesAnswer> => deps.askFiles(root, call);
  const route = { kept: deps.kept, asker: { sessionId, address }, owner: parent.sessionId, send, path };
  return bring(route, files).then((failed) => (failed === undefined ? { files } : { failed }));
}

/** Those of an agent's own files that somebody names, as they are now. */
export function knownFiles(kept: Pick<KeptFiles, 'look'>, paths: ReadonlySet<string>): KnownFiles {
  const known = [...paths].flatMap((path) => {
    const file = looked(kept, path);
    return file ? [[path, file] as const] : [];
  });
  return Object.fromEntries(known);
}

function looked(kept: Pick<KeptFiles, 'look'>, path: string): FileInfo | undefined {
  try {
    return kept.look(path);
  } catch {
    // No file is at a path that is none.
    return undefined;
  }
}

/** Does what an event says of files, in its transaction. */
export function moveFiles(kept: KeptFiles, moves: readonly FileMove[]): void {
  for (const one of moves) {
    switch (one.move) {
      case 'hold':
        kept.hold(one.key, one.path);
        break;
      case 'rename':
        kept.rename(one.key, one.to);
        break;
      case 'place':
        kept.place(one.key, one.path);
        break;
      case 'drop':
        kept.drop(one.prefix, one.before);
    }
  }
}

/** An object that files are brought to. */
interface Receiver {
  readonly agent: { readonly state: Pick<AgentState, 'session' | 'children'> } | undefined;
  readonly ports: { readonly files: FileStore };
}

/** Answers whoever brings a file. */
export async function answerEnclosure(object: Receiver, { owner, asker, ask, bytes }: FilesCall): Promise<FilesAnswer> {
  try {
    if (ask.op !== 'has' && ask.op !== 'take') throw new TypeError('This brings no file.');
    const { file } = ask;
    const { kept } = object.ports.files;
    const key = comeKey(asker.sessionId, file.path);
    checkSender(object, owner, asker);
    if (ask.op === 'has') {
      const isThere = [kept.kept(key), kept.look(file.path)].some((one) => one?.etag === file.etag);
      return { ok: true, op: 'has', gives: isThere };
    }
    const inTransaction = (): void => checkSender(object, owner, asker);
    await kept.stage(key, bytes ?? new Uint8Array(0), { ...file, inTransaction });
    return { ok: true, op: 'take' };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

/** @throws `gone` for anybody but the parent, or a child that works on a task; `invalid_request` where files are another's */
function checkSender({ agent }: Receiver, owner: string, { sessionId }: ParentLink): void {
  // The first message of a session comes before it.
  if (agent === undefined) return;
  const { session, children } = agent.state;
  const isSender =
    session.sessionId === owner &&
    (session.parent?.sessionId === sessionId || [...children.values()].some((child) => child.sessionId === sessionId));
  if (!isSender) throw new OffshootError('gone', 'The task that these files belong to has ended.');
  if (session.workspace?.is === 'inherited')
    throw new OffshootError('invalid_request', 'It works on the files of an agent above it, and has no files itself.');
}

/**
 * Calls between objects of this Worker, and the answer of one whose rows a newer version has written.
 *
 * Decides: which calls to such an object are refused, and which fail as if nobody were reached.
 * Keeps CT2.
 *
 * SO6. Nothing is read or written there: no start of the SDK, no table, no row.
 * SO7. A call for the sake of the tree fails there, because any answer could end something.
 */

import type { Reading } from '../../core/agent/built-in/read';
import type { Enclosure, NewMessage } from '../../core/agent/inbound';
import type { ParentLink } from '../../core/agent/state';
import type { MessageChanges } from '../../core/definition/hooks/hooked-message';
import type { SubagentRegistryEntry } from '../../core/definition/thread-state';
import type { ByteRange, FileInfo, FilePage, ListOptions, OpenFile } from '../../core/ports/file-store';
import type { DoneFile, WorkRemoveOptions, WorkWriteOptions } from '../../core/ports/work-files';
import type { NewRootLimits } from '../../core/tree/root-claims';
import type { Failure, OffshootError } from '../../protocol/errors';
import type { JsonLike } from '../../protocol/json';
import type { SideName } from '../../protocol/sides';
import type { SessionStatus } from '../../protocol/status';
import type { AgentAnswer, AgentMessage, RootAnswer, RootRequest, Segment } from '../tree-messages';

/** A call of a verb on its way to the agent that it is for. */
export interface VerbCall {
  readonly kind: 'verb';
  readonly path: readonly Segment[];
  readonly verb: string;
  readonly input: JsonLike;
  /** Who asks, as the access check named them; idempotency keys are kept apart by it. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** The key counts for all callers, as that of a message in a conversation of several people does. */
  readonly sharesKey?: true;
  /** The trace of who asks (W3C): a run that the call begins belongs to it. */
  readonly traceparent?: string;
  /** How many roots the caller may begin, where that is limited. */
  readonly newRoots?: NewRootLimits;
  /** The root does not know the agent: its parent says why, and the agent itself is not called. */
  readonly lookOnly?: true;
  /** An agent above the one that is called was ended for good, as the root knows it: nothing begins there any more. */
  readonly endedAbove?: true;
  /** The task of the agent that is called has ended, as its parent knows it: where nobody is there, it never began. */
  readonly ended?: true;
  /** In which step the call is that is answered, as the root knows it. */
  readonly stepId?: number;
  /** The request that opened what goes on after the answer: its right is asked again meanwhile. */
  readonly opening?: RequestOpening;
  /** The signed token that it is asked with: the root knows whether it still counts. */
  readonly token?: TokenUse;
  /** A stream of events may be ended where nothing happens: who has opened it opens it `again`, once there is more. */
  readonly pauses?: 'first' | 'again';
  /** Of a call from outside to a sub-agent: the request that authors' hooks of the SDK are asked about. */
  readonly asked?: AskedRequest;
  /** In place of the verb: asks the hook of the agent that is called about this sub-agent of it. */
  readonly gate?: Segment;
  /** Says whether the verb would be accepted now, and changes nothing. Such a call is sent with `since`. */
  readonly isTrial?: true;
  readonly since?: number;
  /** Bytes that come with the call. */
  readonly bytes?: ReadableStream<Uint8Array>;
}

/** A request from outside as far as hooks see it. Its body is the input of the call. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The word of a hook that lets a call pass, with the request for the hooks below. */
export interface HookAnswer {
  readonly ok: true;
  readonly request?: AskedRequest;
}

/** The response of an author's hook in place of an answer. */
export interface HookResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A signed token that was shown, as far as its root decides on it. */
export interface TokenUse {
  readonly id: string;
  /** The one call that may be answered with it. */
  readonly call?: string;
  /** When it ends, in ms since 1970. */
  readonly endsAt: number;
}

/** The answer to a verb: its output (and `bytes` where it is a file or a stream), or a failure as data. */
export type VerbAnswer =
  | {
      readonly ok: true;
      readonly body: JsonLike;
      readonly status?: number;
      readonly bytes?: ReadableStream<Uint8Array>;
      /** To `gate` alone. */
      readonly request?: AskedRequest;
    }
  /** `response`: an author's hook gave that; those who cannot get one get the error. */
  | { readonly ok: false; readonly error: Failure; readonly response?: HookResponse };

/** The header of an upgrade that carries its pass. */
export const PASS_HEADER = 'x-offshoot-pass';

/** What a root says that is leaving because it holds nothing: a call that met it changed nothing and can be made again. */
export const NOTHING_HERE = 'offshoot: there was nothing here';

/** The request that opened a socket or a stream, as far as rights may depend on it, and the number of the authorizer that let it in. */
export interface RequestOpening {
  readonly authorizer: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The same of a socket, with whose share it takes and the ticket that opened it, if one did. */
export interface SocketOpening extends RequestOpening {
  readonly holder: string;
  readonly ticket?: string;
}

/** Whether what a request opened may still be done, and by which signed token; its root knows whether that still counts. */
export type RightNow =
  | { readonly ok: true; readonly token?: TokenUse }
  | { readonly ok: false; readonly error: Failure };

/** Asks a root for a socket at one of its agents. */
export interface SocketCall {
  readonly kind: 'socket';
  readonly path: readonly Segment[];
  readonly opening: RequestOpening;
  /** Who asks, as the access check named them. */
  readonly caller: string;
  /** The signed token or ticket that opens it. */
  readonly token?: TokenUse;
  /** It waits for a Worker that has a reader of events: the agent's own handlers have nothing of it. */
  readonly bell?: true;
  /** The socket that the ticket has opened is open, and this one is for it. */
  readonly isOpen?: true;
}

/** A pass that opens the socket, once and soon; or why there is none. */
export type SocketAnswer =
  | { readonly ok: true; readonly pass: string }
  | { readonly ok: false; readonly error: Failure };

/** A message on its way to the agent that it is for. */
export interface AgentCall {
  readonly kind: 'agent';
  readonly path: readonly Segment[];
  readonly message: AgentMessage;
}

/** What is asked of the files of an agent above. The bytes of a file that is written come beside it. */
export type FilesAsk =
  | { readonly op: 'list'; readonly options: ListOptions }
  | { readonly op: 'stat'; readonly path: string }
  | { readonly op: 'open'; readonly path: string; readonly range: ByteRange }
  | { readonly op: 'write'; readonly path: string; readonly options: WorkWriteOptions }
  | { readonly op: 'remove'; readonly path: string; readonly options: WorkRemoveOptions }
  | { readonly op: 'done'; readonly key: string }
  /** Whether a file that is to go with a message is there already; nobody but the parent or a child at work asks. */
  | { readonly op: 'has'; readonly file: Enclosure }
  /** Such a file comes. */
  | { readonly op: 'take'; readonly file: Enclosure };

/** From an agent that works on the files of one above it, on its way to that one. */
export interface FilesCall {
  readonly kind: 'files';
  readonly path: readonly Segment[];
  /** The session whose files are meant. */
  readonly owner: string;
  /** Who asks. */
  readonly asker: ParentLink;
  readonly ask: FilesAsk;
  readonly bytes?: ReadableStream<Uint8Array>;
}

/** What the files gave, as their method does; the bytes of a file that was opened come beside it. */
export type FilesGave =
  | { readonly op: 'list'; readonly gives: FilePage }
  | { readonly op: 'stat'; readonly gives: FileInfo | undefined }
  | { readonly op: 'open'; readonly gives: Omit<OpenFile, 'body'>; readonly bytes: ReadableStream<Uint8Array> }
  | { readonly op: 'write'; readonly gives: FileInfo }
  | { readonly op: 'remove' }
  | { readonly op: 'done'; readonly gives: DoneFile | undefined }
  | { readonly op: 'has'; readonly gives: boolean }
  | { readonly op: 'take' };

/** What came of it, or a failure as data. */
export type FilesAnswer = ({ readonly ok: true } & FilesGave) | { readonly ok: false; readonly error: Failure };

/** From an agent to those above it: what is the value of this variable? It goes down to its parent. */
export interface VariablesCall {
  readonly kind: 'variables';
  readonly path: readonly Segment[];
  /** The session of the parent. */
  readonly owner: string;
  readonly name: string;
  /** Only what was given for a whole child graph counts. */
  readonly scoped: boolean;
}

/** The value, sealed; `ends`: nobody further up is asked. */
export type VariablesAnswer =
  | { readonly ok: true; readonly sealed?: string; readonly ends?: boolean }
  | { readonly ok: false; readonly error: Failure };

/** What the code of an agent above does in a session, by a key under which it counts once. */
export type ThreadDeed =
  | { readonly type: 'look'; readonly reference: string }
  | { readonly type: 'update'; readonly key: string; readonly messageId: string; readonly changes: MessageChanges }
  | { readonly type: 'send'; readonly key: string; readonly reference: string; readonly message: NewMessage }
  | { readonly type: 'end'; readonly key: string; readonly reference: string };

/** A child of a session, for the code of an agent above that session. */
export interface FoundChild {
  readonly address: string;
  readonly sessionId: string;
  readonly entry: SubagentRegistryEntry;
  /** In ms since 1970. */
  readonly terminatedAt?: number;
  /** The side that hears its parent. */
  readonly receives?: SideName;
}

/** From a session to its parent: its status is asked for, or it gets a message. From a session to one below it, with `does`. */
export interface ThreadCall {
  readonly kind: 'thread';
  readonly path: readonly Segment[];
  /** The session that is asked: with `does` one below who asks, else the parent. */
  readonly owner: string;
  /** The session that asks. */
  readonly asker: string;
  /** A message, with what it is known again by where it comes twice. */
  readonly tells?: { readonly key: string; readonly message: NewMessage };
  /** What it wants to read of the parent, or of a child of that. */
  readonly reads?: Reading;
  /** What is done in a session below. Such a call is sent with `since`. */
  readonly does?: ThreadDeed;
  readonly since?: number;
}

/** How the parent stands, and its entry of who asks. */
export type ThreadAnswer =
  | {
      readonly ok: true;
      readonly status: SessionStatus;
      readonly entry?: SubagentRegistryEntry;
      /** What it has read. */
      readonly read?: JsonLike;
      /** The child that was looked for. */
      readonly child?: FoundChild;
    }
  | { readonly ok: false; readonly error: Failure };

/** What a parent says to the object of a child: for the child itself, or for an agent below it. */
export type ChildCalls = {
  readonly agent: { readonly message: AgentCall; readonly answer: AgentAnswer };
  readonly verb: { readonly message: VerbCall; readonly answer: VerbAnswer };
  readonly files: { readonly message: FilesCall; readonly answer: FilesAnswer };
  readonly variables: { readonly message: VariablesCall; readonly answer: VariablesAnswer };
  readonly thread: { readonly message: ThreadCall; readonly answer: ThreadAnswer };
  readonly capability: { readonly message: CapabilityCall; readonly answer: CapabilityAnswer };
};

/** What an agent says to its root. */
interface RootCall {
  readonly kind: 'root';
  readonly request: RootRequest;
}

/** A call of a capability, which that alone understands. */
export interface CapabilityCall {
  readonly kind: 'capability';
  readonly capability: string;
  readonly bytes?: ReadableStream<Uint8Array>;
}

/** `body` is the capability's own. */
export type CapabilityAnswer =
  | { readonly ok: true; readonly body?: JsonLike }
  | { readonly ok: false; readonly error: Failure };

/** Everything that is said to an object. */
type ObjectCalls = ChildCalls & {
  readonly root: { readonly message: RootCall; readonly answer: RootAnswer };
  readonly socket: { readonly message: SocketCall; readonly answer: SocketAnswer };
};

/** Everything that one object says to another. */
export type ObjectCall = ObjectCalls[keyof ObjectCalls]['message'];

/** The answer to each kind of call. */
export type ObjectAnswer<Call extends ObjectCall> = ObjectCalls[Call['kind']]['answer'];

/** The surface of an agent's object: two methods, both for the host alone. */
export interface ObjectStub {
  offshoot<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>>;
  /** Prepares the store of a template. */
  offshootPrepare(name: string): Promise<void>;
  fetch(request: Request): Promise<Response>;
}

/** Answer of an object with newer rows to a call. @throws the refusal where no answer may be given */
export function answerRefused(call: ObjectCall, refusal: OffshootError): ObjectAnswer<ObjectCall> {
  if ('bytes' in call) call.bytes?.cancel().catch(() => undefined);
  switch (call.kind) {
    case 'verb':
    case 'socket':
    case 'capability':
      return { ok: false, error: refusal.failure };
    case 'agent':
    case 'root':
    case 'files':
    case 'variables':
    case 'thread':
      throw refusal;
    // What a newer version sends may be of a kind that nobody knows here.
    default:
      throw refusal;
  }
}

import { a as ChangeOptions, g as ClientError, o as Client, s as ClientFollowOptions, t as DeepPartial } from "./shared/partial-output.js";
import { E as Json, g as Usage } from "./shared/chunks.js";
import { i as Document, n as Bodies, t as Acceptances } from "./shared/wire-types.js";
import { I as PendingKind, _ as RunView, b as TreeView, d as MessageView, h as ReplyFileView, i as CallView, l as DiscardedAttempt, m as ProviderToolView, p as PendingView, t as AgentView, v as SourceView, y as StepView } from "./shared/view.js";
import "./shared/index.js";
import { Bt as OutputOf, Rt as InputOf, zt as JsonOf } from "./shared/definition.js";
import { ReactNode } from "react";
/** What `OffshootProvider` takes. */
interface OffshootProviderProps {
  /** Made once, outside of any component: readers of one client share connections. */
  readonly client: Client;
  readonly children?: ReactNode;
}
/**
 * Gives a client to the hooks of the components below.
 * @example
 * const client = createClient({ baseUrl: '' });
 * const app = <OffshootProvider client={client}><Page /></OffshootProvider>;
 */
export declare function OffshootProvider({ client, children }: OffshootProviderProps): ReactNode;
/**
 * The client of the nearest provider, or the one that is given.
 * @throws {ClientError} where there is none
 */
export declare function useClient(given?: Client): Client;
/** A call as far as an answer needs it. */
interface WaitingItem {
  readonly toolCallId: string;
  /** Names the arguments that were shown. */
  readonly inputHash?: string | undefined;
}
/** A decision. `input` of an approval: the arguments as they were changed. */
type Decision = {
  readonly kind: 'approve';
  readonly input?: Json;
} | {
  readonly kind: 'deny';
  readonly reason: string;
} | {
  readonly kind: 'result';
  readonly result: Json;
} | {
  readonly kind: 'error';
  readonly error: string;
};
/** The answer as the API takes it. */
export declare function answerOf({ toolCallId, inputHash }: WaitingItem, decision: Decision): Bodies['answer'];
/** The idempotency key of a decision: another decision of the same call has another one. */
export declare const decisionKey: ({ toolCallId }: WaitingItem, decision: Decision) => string;
/** What is known of a run. It is another object after each change. */
interface RunSnapshot {
  /** `closed`: the server refuses, with `error`; nothing more comes until `reconnect`. */
  readonly connection: 'connecting' | 'open' | 'lost' | 'closed';
  /** Why the connection is lost. */
  readonly problem: string | undefined;
  /** Why the server refuses, such as `Refused` with `not_found` before the first start. */
  readonly error: ClientError | undefined;
  /** Whether everything that had happened when the connection was opened has been read. */
  readonly isUpToDate: boolean;
  /** The agent and all below it. */
  readonly view: TreeView;
  /** The agent itself, once its first event is known. */
  readonly agent: AgentView | undefined;
  /** The output of the newest run, as far as it is written; whole once the run has completed. */
  readonly output: Json | undefined;
}
/** How changes are told: the tests' own, or a frame. */
type Schedule = (notify: () => void) => void;
/** How a run is followed. */
interface RunStoreOptions {
  /** `socket` takes none of the few connections that a page has to one host. Default: `socket` where there is one. */
  readonly over?: ClientFollowOptions['over'];
  /** Default: once in 16 ms. */
  readonly schedule?: Schedule;
}
/** A field. `path` joins names and places by dots (`to.0.name`), as refusals of the server do; empty at the top. */
type SchemaField = FieldFacts & ({
  readonly kind: 'text';
  readonly value: string;
} | {
  readonly kind: 'choice';
  readonly value: string | undefined;
  readonly choices: readonly string[];
} | {
  readonly kind: 'flag';
  readonly value: boolean;
} | {
  readonly kind: 'number' | 'json';
  readonly value: Json | undefined;
} | {
  readonly kind: 'list';
  readonly items: readonly SchemaField[];
  readonly empty: Json;
} | {
  readonly kind: 'object';
  readonly fields: readonly SchemaField[];
});
/** What every field has. */
interface FieldFacts {
  readonly path: string;
  readonly label: string;
  readonly description: string | undefined;
  /** Whether it has to be filled in: a flag always says something, a default stands in for what is not given. */
  readonly isRequired: boolean;
  /** The value that counts where none is given, as text. */
  readonly defaultText: string | undefined;
}
/** The kinds of fields. */
type FieldKind = SchemaField['kind'];
/** A message of the server's transcript. */
type TranscriptMessage = Document<'message'>;
/** An item of a transcript. `id` stays the same while it grows; `text` is what a search looks through. */
type TranscriptItem = {
  readonly id: string;
  readonly runId?: string;
  readonly step?: number;
} & ({
  readonly kind: 'edge';
  readonly says: string;
} |
/** Of the server's transcript: what is no longer held as chunks. */
{
  readonly kind: 'older';
  readonly entry: TranscriptMessage;
} | {
  readonly kind: 'asked';
  readonly text: string;
  readonly from: string;
} | {
  readonly kind: 'recovered';
  readonly reason: string;
} |
/** `over`: its run has an end, so that nothing more comes of what is open in it. */
{
  readonly kind: 'step';
  readonly step: number;
  readonly view: StepView;
  readonly over: boolean;
} | ({
  readonly kind: 'discarded';
} & DiscardedAttempt) | {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly open: boolean;
} |
/** A tool that the provider of the model ran. */
{
  readonly kind: 'provider-tool';
  readonly tool: ProviderToolView;
} | {
  readonly kind: 'made-file';
  readonly file: ReplyFileView;
} |
/** The pages and documents that a reply refers to, each once. */
{
  readonly kind: 'sources';
  readonly sources: readonly SourceView[];
} | {
  readonly kind: 'call';
  readonly call: CallView;
  readonly over: boolean;
} | {
  readonly kind: 'message';
  readonly message: Extract<MessageView, {
    readonly status: 'delivered';
  }>;
} | {
  readonly kind: 'end';
  readonly run: RunView;
});
/** What the server's transcript adds: what started each turn, and what is older than what is held. */
interface Asked {
  /** By turn. */
  readonly starts: ReadonlyMap<number, string>;
  readonly older: readonly TranscriptMessage[];
}
/** Sorts the entries of the transcript by what the log has told. `isCut`: whether older ones are not in it. */
export declare function askedOf(agent: AgentView, entries: readonly TranscriptMessage[], isCut: boolean): Asked;
/** All items, the oldest first. */
export declare function itemsOf(agent: AgentView, asked: Asked, edge: string | undefined): TranscriptItem[];
/** Options of the hooks about one run. */
interface RunOptions {
  /** Default: the one of `OffshootProvider`. */
  readonly client?: Client;
  /** `socket` takes none of the few connections that a page has to one host. Default: `socket` where there is one. */
  readonly over?: RunStoreOptions['over'];
}
/** What can be done with a run. Each throws as the method of the client does. */
interface RunActions<Agent = unknown> {
  /** Starts a run, and follows it. */
  start(body: StartOf<Agent>, options?: ChangeOptions): Promise<unknown>;
  /** Sends a message; the first one of a session starts it. */
  send(message: Bodies['send'] | string, options?: ChangeOptions): Promise<unknown>;
  interrupt(reason?: string): Promise<Acceptances['stop']>;
  abort(reason?: string): Promise<Acceptances['stop']>;
  terminate(reason?: string): Promise<Acceptances['stop']>;
  resume(body?: Bodies['resume']): Promise<Acceptances['resume']>;
  retry(body?: Bodies['resume']): Promise<Acceptances['resume']>;
  answer(body: Bodies['answer'], options?: ChangeOptions): Promise<Acceptances['answer']>;
  /** Opens the connection anew, from where it was. */
  reconnect(): void;
}
/** The body of a start, with the input of the agent's `inputSchema`. */
type StartOf<Agent> = unknown extends InputOf<Agent> ? Bodies['start'] : Omit<Bodies['start'], 'input'> & {
  readonly input?: InputOf<Agent>;
};
/** A run, and what can be done with it. */
interface UsedRun<Agent = unknown> extends Omit<RunSnapshot, 'output'> {
  readonly address: string;
  /** The status of the session, as the status document has it; undefined until it is known. */
  readonly status: string | undefined;
  /** The output of the newest run as far as it is written; `isComplete` tells whether it is whole. */
  readonly output: DeepPartial<Carried<Agent>> | undefined;
  /** The calls at any depth that wait for a person, the one asked first at the front. */
  readonly pending: readonly PendingView[];
  readonly actions: RunActions<Agent>;
}
type Carried<Agent> = unknown extends OutputOf<Agent> ? Json : JsonOf<OutputOf<Agent>>;
/**
 * Follows a run: its status, what its tree has done, its output while it is written, and what can be done with it.
 * @param address of a root or of an agent below it, such as `/agents/planner/one`
 * @example
 * const run = useRun<typeof planner>('/agents/planner/one');
 * <button onClick={() => run.actions.send('Plan a call.')}>{run.status ?? 'Start'}</button>
 */
export declare function useRun<Agent = unknown>(address: string, options?: RunOptions): UsedRun<Agent>;
/**
 * What the agents of a run have spent, that of the agent below `own`.
 * @example
 * const { total } = useUsage('/agents/planner/one');
 */
export declare function useUsage(address: string, options?: RunOptions): {
  total: Usage;
  own: Usage | undefined;
};
/** A row. */
interface AgentRow {
  readonly agent: AgentView;
  /** 1 at the top. */
  readonly level: number;
  readonly childCount: number;
  readonly isExpanded: boolean;
  readonly isSelected: boolean;
}
/** What a key event has of which the tree needs something. */
interface TreeKeyEvent {
  readonly key: string;
  preventDefault(): void;
}
/** Properties of a row's element. */
interface RowProps {
  readonly role: 'treeitem';
  readonly 'aria-level': number;
  readonly 'aria-selected': boolean;
  readonly 'aria-expanded'?: boolean;
  readonly tabIndex: 0 | -1;
  onClick(): void;
  onKeyDown(event: TreeKeyEvent): void;
}
/** A tree of agents. */
interface UsedTree {
  readonly rows: readonly AgentRow[];
  readonly selected: AgentView | undefined;
  select(agentId: string): void;
  toggle(agentId: string): void;
  /** Properties of the element around the rows. */
  readonly treeProps: {
    readonly role: 'tree';
  };
  rowProps(row: AgentRow): RowProps;
}
/**
 * The agents of a run as rows, with what their elements need.
 * @example
 * const { rows, treeProps, rowProps } = useAgentTree('/agents/planner/one');
 * <ul {...treeProps}>{rows.map((row) => <li key={row.agent.agentId} {...rowProps(row)}>{row.agent.agentType}</li>)}</ul>
 */
export declare function useAgentTree(address: string, options?: RunOptions): UsedTree;
/** A call that waits, with the address of its agent. */
interface ApprovalItem extends WaitingItem {
  readonly address: string;
}
/** How an answer stands. */
type ApprovalState = {
  readonly status: 'open';
} | {
  readonly status: 'sending';
  readonly decision: Decision;
} |
/** `byOther`: somebody else was faster, and that answer counts. */
{
  readonly status: 'answered';
  readonly byOther: boolean;
} | {
  readonly status: 'failed';
  readonly decision: Decision;
  readonly error: Error;
  readonly fields: FieldErrors;
};
/** What is wrong with changed arguments, by the path of each field (`to.0.name`). */
type FieldErrors = ReadonlyMap<string, string>;
/** A call that waits, and its answers. */
interface UsedApproval {
  readonly state: ApprovalState;
  /** Whether the buttons are to be disabled. */
  readonly isBusy: boolean;
  /** Approves the arguments that were shown, or `input` in their place. */
  approve(input?: Json): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** The result of a tool that the page itself runs. */
  respond(result: Json): Promise<void>;
  /** The failure of such a tool. */
  fail(error: string): Promise<void>;
}
/**
 * Answers a call that waits: an item of `useInbox`, or of `pending` of `useRun`. Failures are in `state`.
 * @example
 * const { approve, deny, isBusy } = useApproval(item);
 * <button disabled={isBusy} onClick={() => approve()}>Approve</button>
 */
export declare function useApproval(item: ApprovalItem, { client: given }?: Pick<RunOptions, 'client'>): UsedApproval;
/** A call that waits. */
interface InboxItem {
  readonly toolCallId: string;
  readonly kind: PendingKind;
  readonly toolName: string;
  readonly address: string;
  readonly agentType: string;
  /** In ms since 1970. */
  readonly requestedAt: number;
  /** Until when an answer is taken, in ms since 1970; missing where it may take any time. */
  readonly expiresAt?: number;
  readonly input: Json;
  /** Binds an answer to these arguments. */
  readonly inputHash?: string;
}
/** An inbox. */
interface Inbox<Item = InboxItem> {
  /** The one asked first at the front. */
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
}
/** Options of `useInboxOfAll`. */
interface InboxOfAllOptions extends Pick<RunOptions, 'client'> {
  /** Default: 10,000 ms. */
  readonly intervalMs?: number;
}
/**
 * The calls at and below an address that wait for a person, live.
 * @example
 * const { items } = useInbox('/agents/planner/one');
 * items.map((item) => <Card key={item.toolCallId} item={item} />);
 */
export declare function useInbox(address: string, options?: RunOptions): Inbox;
type ListedInbox = Inbox<Document<'listedCall'>>;
/**
 * The calls under all roots that wait for a person, read again every `intervalMs` while the page is visible. The
 * arguments of one are in `client.pending(item.address)`.
 * @example
 * const { items } = useInboxOfAll();
 */
export declare function useInboxOfAll({ client: given, intervalMs }?: InboxOfAllOptions): ListedInbox;
/** A form. */
interface UsedSchemaForm {
  /** The field of the whole value, with the fields in it. */
  readonly field: SchemaField;
  /** What is to be sent: what was given, with `false` for each required flag that was not ticked. */
  readonly value: Json;
  /** Sets the value at a path; undefined removes it. A place behind the end of a list adds an item. */
  set(path: string, value: Json | undefined): void;
  /** Sets what a text of an input says, as its kind of field reads it. */
  setText(field: SchemaField, text: string): void;
  /** Begins anew. */
  reset(value?: Json): void;
}
/**
 * A form for arguments that are changed before they are approved, or for the input of a start.
 * @param initial the first value; later ones are set by `reset`
 * @example
 * const { field, value, setText } = useSchemaForm(tool.inputSchema, item.input);
 * field.kind === 'object' && field.fields.map((each) => each.kind === 'text' && (
 *   <input key={each.path} value={each.value} onChange={(event) => setText(each, event.target.value)} />
 * ));
 */
export declare function useSchemaForm(schema: Json | undefined, initial?: Json): UsedSchemaForm;
/** A transcript, and whether more of it is on its way. */
interface UsedTranscript {
  readonly items: readonly TranscriptItem[];
  /** Whether the server's messages are still read. */
  readonly isLoading: boolean;
  /** Why they could not be read. */
  readonly error: Error | undefined;
}
/**
 * What an agent was asked, said and did, the oldest first: texts, thinking, calls with their results, messages, ends.
 * @param agentId of an agent below; default: the one at the address
 * @example
 * const { items } = useTranscript('/agents/planner/one');
 * items.map((item) => (item.kind === 'text' ? <p key={item.id}>{item.text}</p> : null));
 */
export declare function useTranscript(address: string, options?: RunOptions & {
  agentId?: string;
}): UsedTranscript;
export type { AgentRow, ApprovalItem, ApprovalState, Decision, FieldErrors, FieldFacts, FieldKind, Inbox, InboxItem, InboxOfAllOptions, OffshootProviderProps, RowProps, RunActions, RunOptions, RunSnapshot, SchemaField, StartOf, TranscriptItem, TranscriptMessage, UsedApproval, UsedRun, UsedSchemaForm, UsedTranscript, UsedTree, WaitingItem };
import { o as Client, y as Refused } from "./shared/partial-output.js";
import { E as Json } from "./shared/chunks.js";
import { i as Document, n as Bodies } from "./shared/wire-types.js";
import { a as UsedRun, c as useUsage, i as StartOf, l as RunSnapshot, n as RunOptions, o as ViewOptions, r as RunSource, s as useRun, t as RunActions, u as RunStoreOptions } from "./shared/use-run.js";
import { R as PendingKind, d as MessageView, g as ReplyFileView, i as CallView, l as DiscardedAttempt, m as ProviderToolView, t as AgentView, v as RunView, x as StepView, y as SourceView } from "./shared/view.js";
import { Ht as StateOf, zt as JsonOf } from "./shared/definition.js";
import { ReactNode } from "react";
/** Properties of `OffshootProvider`. */
interface OffshootProviderProps {
  /** The client. Create it once, outside of any component: hooks with the same client share connections. */
  readonly client: Client;
  readonly children?: ReactNode;
}
/**
 * Provides a client to the hooks of the components below.
 * @example
 * const client = createClient({ baseUrl: '' });
 * const app = <OffshootProvider client={client}><Page /></OffshootProvider>;
 */
export declare function OffshootProvider({ client, children }: OffshootProviderProps): ReactNode;
/**
 * The client of the nearest provider, or the given one.
 * @throws {ClientError} without either
 */
export declare function useClient(given?: Client): Client;
/** The fields of a call that an answer needs. */
interface WaitingItem {
  readonly toolCallId: string;
  /** The hash of the arguments that were shown. */
  readonly inputHash?: string | undefined;
}
/** A decision. The `input` of an approval holds the edited arguments. */
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
/** The answer in the form that the API accepts. */
export declare function answerOf({ toolCallId, inputHash }: WaitingItem, decision: Decision): Bodies['answer'];
/** The idempotency key of a decision. A different decision on the same call has a different key. */
export declare const decisionKey: ({ toolCallId }: WaitingItem, decision: Decision) => string;
/** A field. `path` joins names and indexes with dots (`to.0.name`), as the server's errors do; empty at the top. */
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
/** Facts of every field. */
interface FieldFacts {
  readonly path: string;
  readonly label: string;
  readonly description: string | undefined;
  /** True if the field must be filled in: not for a checkbox, which always has a value, or a field with a default. */
  readonly isRequired: boolean;
  /** The default value, as text. */
  readonly defaultText: string | undefined;
}
/** The kinds of fields. */
type FieldKind = SchemaField['kind'];
/** A message of the server's transcript. */
type TranscriptMessage = Document<'message'>;
type DeliveredMessage = Extract<MessageView, {
  readonly status: 'delivered';
}>;
/** An item of a transcript. `id` stays the same while the item grows; `text` is the text to search. */
type TranscriptItem = {
  readonly id: string;
  readonly runId?: string;
  readonly step?: number;
} & ({
  readonly kind: 'edge';
  readonly says: string;
} |
/** A tool result or a notice of the server's transcript whose chunks are no longer in the log. */
{
  readonly kind: 'older';
  readonly entry: TranscriptMessage;
} |
/** A message of a caller or the parent. `message`: its chunk, with time and files, if the log has it. */
{
  readonly kind: 'asked';
  readonly text: string;
  readonly from: string;
  readonly message?: DeliveredMessage;
} | {
  readonly kind: 'recovered';
  readonly reason: string;
} |
/** `over`: its run has ended, so its open calls get no more events. */
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
} |
/** A message of a child, of another agent or of Offshoot. */
{
  readonly kind: 'message';
  readonly message: DeliveredMessage;
} | {
  readonly kind: 'end';
  readonly run: RunView;
});
/** The entries of the server's transcript that are older than the log of an agent. */
export declare function olderOf(agent: AgentView, entries: readonly TranscriptMessage[]): readonly TranscriptMessage[];
/** All items, the oldest first. `older`: the messages of the server's transcript that the log has lost. */
export declare function itemsOf(agent: AgentView, older: readonly TranscriptMessage[], edge: string | undefined): TranscriptItem[];
/** A custom state and its loading state. */
interface UsedAgentState<Agent = unknown> {
  /** The custom state; undefined until the agent has begun and its state was read. */
  readonly state: (unknown extends StateOf<Agent> ? Json : JsonOf<StateOf<Agent>>) | undefined;
  /** True while the state is read from the server. */
  readonly isLoading: boolean;
  /** The error, if the state could not be read. */
  readonly error: Error | undefined;
}
/** Options of a custom state. */
interface AgentStateOptions extends ViewOptions {
  /** An agent below the address; default: the agent at the address. */
  readonly agentId?: string;
}
/**
 * The custom state of an agent, after each change. It needs no further connection and no request for each change.
 * @param address of a root or of an agent below it, such as `/agents/planner/one`
 * @example
 * const { state } = useAgentState<typeof planner>('/agents/planner/one');
 * state?.todos.map(({ text }) => <li key={text}>{text}</li>);
 */
export declare function useAgentState<Agent = unknown>(address: string, options?: AgentStateOptions): UsedAgentState<Agent>;
/**
 * Keys, roles and focus of a tree whose rows the page has: all of them, or those that a virtual list draws.
 *
 * RH9. Keys move as the ARIA tree pattern says.
 * RH16. The focus follows the keys, also to a row that is drawn only then.
 */
/** A row as far as its keys and its element need it. */
interface TreeRow {
  readonly id: string;
  /** 1 at the top. */
  readonly level: number;
  readonly childCount: number;
  readonly isExpanded: boolean;
}
/** The fields of a key event that the tree needs. */
interface TreeKeyEvent {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
  /** The element that has the focus. Keys of a button, link or field within a row are left to it. Default: the tree. */
  readonly target?: object | null;
  preventDefault(): void;
}
/** The fields of a press on a row that the tree needs. */
interface RowPressEvent {
  readonly currentTarget: object;
}
/** Properties of the element around the rows. */
interface TreeProps {
  readonly role: 'tree' | 'treegrid';
  ref(element: object | null): void;
  onKeyDown(event: TreeKeyEvent): void;
}
/** Properties of a row's element. Each keeps its value until the row is another one, so that rows can be memoized. */
interface RowProps {
  readonly role: 'treeitem' | 'row';
  readonly 'data-id': string;
  readonly 'aria-level': number;
  readonly 'aria-selected': boolean;
  readonly 'aria-expanded'?: boolean;
  readonly tabIndex: 0 | -1;
  onClick(event: RowPressEvent): void;
}
/** Rows, and what is done with them. */
interface TreeRowsOptions<Row extends TreeRow> {
  /** The visible rows, from the top. */
  readonly rows: readonly Row[];
  readonly selectedId: string | undefined;
  /** `treegrid`: rows have cells. Default: `tree`. */
  readonly role?: 'tree' | 'treegrid';
  /** Called when a key moves to a row, before the row has the focus. A virtual list scrolls to it. */
  onMove(row: Row, index: number): void;
  /** Called for a press on a row, and for Enter. */
  onOpen(row: Row): void;
  onFold(row: Row, isExpanded: boolean): void;
}
/** A tree of rows. */
interface UsedTreeRows<Row extends TreeRow> {
  /** The index of the row that takes the keys; -1 without rows. */
  readonly at: number;
  readonly treeProps: TreeProps;
  rowProps(row: Row): RowProps;
}
/**
 * The keys and properties of rows that the page arranges itself: a list that is virtual, filtered or grouped.
 * `useAgentTree` arranges the agents of a run.
 * @example
 * const { treeProps, rowProps } = useTreeRows({ rows, selectedId, onMove: select, onOpen: select, onFold: fold });
 * <ul {...treeProps}>{rows.map((row) => <li key={row.id} {...rowProps(row)}>{row.title}</li>)}</ul>
 */
export declare function useTreeRows<Row extends TreeRow>(options: TreeRowsOptions<Row>): UsedTreeRows<Row>;
/** A row of an agent; `id` is its `agentId`. */
interface AgentRow extends TreeRow {
  readonly agent: AgentView;
  readonly isSelected: boolean;
}
/** A tree of agents. */
interface UsedTree {
  readonly rows: readonly AgentRow[];
  readonly selected: AgentView | undefined;
  select(agentId: string): void;
  toggle(agentId: string): void;
  /** Properties of the element around the rows. */
  readonly treeProps: TreeProps;
  rowProps(row: AgentRow): RowProps;
}
/**
 * The agents of a run as rows, with what their elements need.
 * @example
 * const { rows, treeProps, rowProps } = useAgentTree('/agents/planner/one');
 * <ul {...treeProps}>{rows.map((row) => <li key={row.id} {...rowProps(row)}>{row.agent.agentType}</li>)}</ul>
 */
export declare function useAgentTree(address: string, options?: ViewOptions): UsedTree;
/**
 * Calls `report` for each attempt of a request that got no response, while the request is retried. Returns a function
 * that stops this.
 */
type WatchTries = (idempotencyKey: string, report: (why: string, isUnsent: boolean) => void) => () => void;
/** The last attempt of a request, which got no response. */
interface LostTry {
  readonly why: string;
  /** True if no attempt is known to have left this device. */
  readonly isUnsent: boolean;
}
/** The end of a request whose component is gone. `error`: it was refused. */
interface LeftRequest {
  /** True if attempts were reported and none has left this device; false after a refusal. */
  readonly isUnsent: boolean;
  readonly error?: Error;
}
/** A pending call, with the address of its agent. */
interface ApprovalItem extends WaitingItem {
  readonly address: string;
}
/** The state of an answer. */
type ApprovalState = {
  readonly status: 'open';
} |
/** `lost`: the last attempt got no response; a decision that is made now is sent at once. */
{
  readonly status: 'sending';
  readonly decision: Decision;
  readonly lost: LostTry | undefined;
} |
/** `byOther`: somebody else answered first, and that answer counts. */
{
  readonly status: 'answered';
  readonly byOther: boolean;
} | FailedApproval;
/** An answer that was refused, or got no response. */
interface FailedApproval {
  readonly status: 'failed';
  readonly decision: Decision;
  readonly error: Error;
  readonly fields: FieldErrors;
  /** True if `tries` has reported attempts and none has left this device; false after a refusal. */
  readonly isUnsent: boolean;
}
/** Errors of changed arguments, by the path of each field (`to.0.name`). */
type FieldErrors = ReadonlyMap<string, string>;
/** A pending call, and its answers. */
interface UsedApproval {
  readonly state: ApprovalState;
  /** True while the buttons should be disabled. */
  readonly isBusy: boolean;
  /** Approves the arguments that were shown, or `input` in their place. */
  approve(input?: Json): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** The result of a tool that the page itself runs. */
  respond(result: Json): Promise<void>;
  /** The failure of such a tool. */
  fail(error: string): Promise<void>;
}
/** Options of the answers to a call. */
interface ApprovalOptions extends Pick<RunOptions, 'client'> {
  /** Reports failed attempts, if the page's `fetch` knows of them: `state.lost` has the last one. */
  readonly tries?: WatchTries;
  /**
   * Called once the call is answered, even after the component has unmounted. `other`: the refusal with the earlier
   * answer.
   */
  readonly onAnswered?: (decision: Decision, other: Refused | undefined) => void;
  /** Called after each answer, even a refused one. */
  readonly onSettled?: () => void;
  /** Called if an answer fails, or is no longer retried, after the component has unmounted or shows another call. */
  readonly onLeft?: (decision: Decision, left: LeftRequest) => void;
}
/**
 * Answers a pending call: an item of `useInbox`, or of the `pending` list of `useRun`. Failures are in `state`.
 * @example
 * const { approve, deny, isBusy } = useApproval(item);
 * <button disabled={isBusy} onClick={() => approve()}>Approve</button>
 */
export declare function useApproval(item: ApprovalItem, options?: ApprovalOptions): UsedApproval;
/** A pending call. */
interface InboxItem {
  readonly toolCallId: string;
  readonly kind: PendingKind;
  readonly toolName: string;
  readonly address: string;
  readonly agentType: string;
  /** In ms since 1970. */
  readonly requestedAt: number;
  /** The deadline for an answer, in ms since 1970; absent if there is none. */
  readonly expiresAt?: number;
  readonly input: Json;
  /** Binds an answer to these arguments. */
  readonly inputHash?: string;
}
/** An inbox. */
interface Inbox<Item = InboxItem> {
  /** The pending calls, the oldest first. */
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
 * The pending calls at and below an address, live.
 * @example
 * const { items } = useInbox('/agents/planner/one');
 * items.map((item) => <Card key={`${item.address} ${item.toolCallId}`} item={item} />);
 */
export declare function useInbox(address: string, options?: RunOptions): Inbox;
type ListedInbox = Inbox<Document<'listedCall'>>;
/**
 * The pending calls of all roots, read again every `intervalMs` while the page is visible. The arguments of one are in
 * `client.pending(item.address)`.
 * @example
 * const { items } = useInboxOfAll();
 */
export declare function useInboxOfAll({ client: given, intervalMs }?: InboxOfAllOptions): ListedInbox;
/** A form. */
interface UsedSchemaForm {
  /** The field of the whole value, with the fields in it. */
  readonly field: SchemaField;
  /** The value to send, with `false` for each required flag that was not ticked. */
  readonly value: Json;
  /** Sets the value at a path; undefined removes it. An index past the end of a list adds an item. */
  set(path: string, value: Json | undefined): void;
  /** Sets a field from the text of its input element. */
  setText(field: SchemaField, text: string): void;
  /** Starts over. */
  reset(value?: Json): void;
}
/**
 * A form to edit arguments before an approval, or to enter the input of a start.
 * @param initial the first value; later ones are set by `reset`
 * @example
 * const { field, value, setText } = useSchemaForm(tool.inputSchema, item.input);
 * field.kind === 'object' && field.fields.map((each) => each.kind === 'text' && (
 *   <input key={each.path} value={each.value} onChange={(event) => setText(each, event.target.value)} />
 * ));
 */
export declare function useSchemaForm(schema: Json | undefined, initial?: Json): UsedSchemaForm;
/** A transcript and its loading state. */
interface UsedTranscript {
  readonly items: readonly TranscriptItem[];
  /** True while the server's messages are loading. */
  readonly isLoading: boolean;
  /** The error, if loading failed. */
  readonly error: Error | undefined;
}
/** Options of a transcript. */
interface TranscriptOptions extends ViewOptions {
  /** An agent below the address; default: the agent at the address. */
  readonly agentId?: string;
  /** Text of an item before those of the log, for a page that holds only the end of the log: older messages precede it. */
  readonly edge?: string | undefined;
}
/**
 * The transcript of an agent, the oldest item first: questions, texts, thinking, calls with their results, messages, ends.
 * @example
 * const { items } = useTranscript('/agents/planner/one');
 * items.map((item) => (item.kind === 'text' ? <p key={item.id}>{item.text}</p> : null));
 */
export declare function useTranscript(address: string, options?: TranscriptOptions): UsedTranscript;
export { type AgentRow, type AgentStateOptions, type ApprovalItem, type ApprovalOptions, type ApprovalState, type Decision, type FailedApproval, type FieldErrors, type FieldFacts, type FieldKind, type Inbox, type InboxItem, type InboxOfAllOptions, type LeftRequest, type LostTry, type OffshootProviderProps, type RowPressEvent, type RowProps, type RunActions, type RunOptions, type RunSnapshot, type RunSource, type RunStoreOptions, type SchemaField, type StartOf, type TranscriptItem, type TranscriptMessage, type TranscriptOptions, type TreeKeyEvent, type TreeProps, type TreeRow, type TreeRowsOptions, type UsedAgentState, type UsedApproval, type UsedRun, type UsedSchemaForm, type UsedTranscript, type UsedTree, type UsedTreeRows, type ViewOptions, type WaitingItem, type WatchTries, useRun, useUsage };
import { _ as Problem, a as ChangeOptions, b as Unreachable, c as ClientOptions, d as createClient, f as SocketClass, g as ClientError, h as Clock, i as CallOptions, l as PageOptions, m as FollowOptions, n as WatchedOutput, o as Client, p as FollowEvent, r as watchOutput, s as ClientFollowOptions, t as DeepPartial, u as Watched, v as ProtocolError, y as Refused } from "./shared/partial-output.js";
import { E as Json, O as JsonObject, T as ShownFailure, a as Chunk, b as ErrorCode, c as ChunkType, g as Usage, l as SequencedChunk, s as ChunkBody } from "./shared/chunks.js";
import { i as Document, n as Bodies, o as Page, r as Children, s as Transcript, t as Acceptances } from "./shared/wire-types.js";
import { i as stepSources, n as reduce, r as reduceAll, t as Reduction } from "./shared/reduce.js";
import { n as ShownControls, r as VerbRefusal, t as ShownControl } from "./shared/controls.js";
import { A as isEnded, E as SessionStatus, O as isAtRest, j as isSuspended } from "./shared/sides.js";
import { A as stepText, D as emptyView, E as currentStep, M as topAgents, N as treeUsage, O as findAgent, P as viewFrom, S as TreeView, T as currentRun, a as CompanionView, b as StatePatchView, c as DelegationView, d as MessageView, f as PartView, g as ReplyFileView, h as RecoveryView, i as CallView, j as stepThinking, k as pendingOf, l as DiscardedAttempt, m as ProviderToolView, p as PendingView, t as AgentView, u as FurtherView, v as RunView, w as companionsOf, x as StepView, y as SourceView } from "./shared/view.js";
import { C as UnacknowledgedStop, S as TreeShown, x as ChildCounts } from "./shared/requests.js";
/** An event, the view after it, and the custom state. */
interface WatchedState<State = Json> extends Watched {
  /** The custom state; undefined until the agent has begun and its state was read. */
  readonly state: State | undefined;
}
/**
 * Follows an agent like the client's `watch`, with its custom state. Reads the state once, and again only where the log
 * has a gap or a reading failed.
 * @throws {Refused} also where the state may not be read
 * @example
 * const show = async (offshoot: Client, address: string) => {
 *   for await (const { state } of watchState<{ todos: string[] }>(offshoot, address)) console.log(state?.todos);
 * };
 */
export declare function watchState<State = Json>(client: Pick<Client, 'watch' | 'state'>, address: string, options?: ClientFollowOptions): AsyncGenerator<WatchedState<State>, void, void>;
export { type Acceptances, type AgentView, type Bodies, type CallOptions, type CallView, type ChangeOptions, type ChildCounts, type Children, type Chunk, type ChunkBody, type ChunkType, type Client, ClientError, type ClientFollowOptions, type ClientOptions, type Clock, type CompanionView, type DeepPartial, type DelegationView, type DiscardedAttempt, type Document, type ErrorCode, type FollowEvent, type FollowOptions, type FurtherView, type Json, type JsonObject, type MessageView, type Page, type PageOptions, type PartView, type PendingView, type Problem, ProtocolError, type ProviderToolView, type RecoveryView, type Reduction, Refused, type ReplyFileView, type RunView, type SequencedChunk, type SessionStatus, type ShownControl, type ShownControls, type ShownFailure, type SocketClass, type SourceView, type StatePatchView, type StepView, type Transcript, type TreeShown, type TreeView, type UnacknowledgedStop, Unreachable, type Usage, type VerbRefusal, type Watched, type WatchedOutput, type WatchedState, companionsOf, createClient, currentRun, currentStep, emptyView, findAgent, isAtRest, isEnded, isSuspended, pendingOf, reduce, reduceAll, stepSources, stepText, stepThinking, topAgents, treeUsage, viewFrom, watchOutput };
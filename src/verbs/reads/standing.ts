/**
 * What the root's record says of an agent, in the words of the API.
 *
 * Decides: what a run tells of where it begins in the log (`startSequence`, `chainStartSequence`), and when that is missing.
 *
 * Keeps A7, A62, A80, A83, A100.
 */
import type * as z from 'zod';
import { askedOf } from '../../core/agent/runs/asked';
import { suspensionOf } from '../../core/agent/runs/status';
import { type AgentState, currentStep, type Run } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { TreeNode } from '../../core/tree/node';
import { belowEach, NOBODY } from '../../core/tree/subtree-sums';
import { beginning } from '../../engine/root/directory-report';
import type { RootRuntime } from '../../engine/root/root';
import { shownFailure } from '../../protocol/errors';
import { lessUsage, type Usage } from '../../protocol/usage';
import type * as shape from '../../protocol/wire/shapes';

/** The fields that a status document, a child and a node of a tree share. `sums` is of a subtree that holds the node. */
export function standingOf(tree: RootRuntime, node: TreeNode, sums = belowEach(tree.tree.subtree(node.id))) {
  const { sessionId, agentType, address, status, statusText, usage } = node;
  return {
    sessionId,
    agentType,
    address,
    status,
    ...(statusText === '' ? {} : { statusText }),
    ...(node.kind === 'child' && node.stopOwed ? { stopOwed: node.stopOwed } : {}),
    usage,
    ...(sums.get(node.id) ?? NOBODY),
  };
}

/** The last segment of an address. */
export function nameOf({ address }: TreeNode): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** What a sub-agent is called, and which of its tasks it is at. */
export function taskOf(node: TreeNode): { readonly name?: string; readonly task?: number } {
  return node.kind === 'root' ? {} : { name: nameOf(node), task: node.task.number };
}

/** One run as it is shown; `state` says how it stands where it is the latest one. */
export function runView(run: Run, state: AgentState): z.output<typeof shape.run> {
  const { runId, epoch, turn, startedAt, caller: { traceparent } = {} } = run;
  const { chainTurn, chainRunId, resumedFrom } = run.lineage;
  const facts = {
    ...{ runId, epoch, turn, chainTurn, chainRunId, startedAt },
    // No other run comes between the runs of a chain.
    resumes: turn - chainTurn,
    ...(resumedFrom === undefined ? {} : { resumedFrom }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  if (run.phase === 'active') return { ...facts, status: suspensionOf(state) ?? 'running' };
  const { outcome, endedAt } = run;
  const end =
    outcome.status === 'interrupted'
      ? { status: outcome.status, reason: outcome.reason }
      : outcome.status === 'failed'
        ? { ...outcome, error: shownFailure(outcome.error) }
        : outcome;
  return { ...facts, ...end, endedAt };
}

/** Messages that are looked through for the one that a run was asked with. */
const LOOKED_THROUGH = 20;

/** The usage of the session when a run began. */
const spentBefore = ({ lineage }: Run): Usage => lineage.usageAtStart ?? lineage.usageAtChainStart;

/** A run in the list of runs; `next` is the one behind it. */
export function listedRun(
  store: Pick<AgentStore, 'messages'>,
  state: AgentState,
  run: Run,
  next: Run | undefined,
): z.output<typeof shape.listedRun> {
  const { askedAfter } = run.lineage;
  const messages = askedAfter === undefined ? [] : store.messages({ after: askedAfter, limit: LOOKED_THROUGH });
  const input = beginning(askedOf(run, messages));
  const steps = run.phase === 'ended' ? run.steps : (currentStep(state)?.number ?? 0);
  return {
    ...runView(run, state),
    ...(input === undefined ? {} : { input }),
    usage: lessUsage(next ? spentBefore(next) : state.spent, spentBefore(run)),
    ...(steps === undefined ? {} : { steps }),
  };
}

interface InChain {
  readonly runId: string;
  readonly turn: number;
  readonly chainRunId: string;
  readonly chainTurn: number;
}

/**
 * Runs with the sequences at which each, and its chain, begins in the log: only the root knows them. What is older than
 * the log has none.
 */
export function withBeginnings<Shown extends InChain>(
  tree: RootRuntime,
  { id, kind }: TreeNode,
  runs: readonly Shown[],
): (Shown & { startSequence?: number; chainStartSequence?: number })[] {
  const oldest = kind === 'root' ? (tree.oldestTurn ?? 0) : 0;
  const kept = runs.flatMap(({ turn, runId, chainTurn, chainRunId }) => [
    ...(turn >= oldest ? [runId] : []),
    ...(chainTurn >= oldest ? [chainRunId] : []),
  ]);
  const known = tree.log.beginnings(id, kept);
  return runs.map((run) => {
    const startSequence = known.get(run.runId);
    const chainStartSequence = known.get(run.chainRunId);
    return {
      ...run,
      ...(startSequence === undefined ? {} : { startSequence }),
      ...(chainStartSequence === undefined ? {} : { chainStartSequence }),
    };
  });
}

/** What an agent itself says of how it stands. */
export function agentStanding(state: AgentState) {
  const { session, run, step, spent } = state;
  const { displayName, tags, metadata, active } = session;
  return {
    tags,
    ...(displayName === undefined ? {} : { displayName }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(active === undefined ? {} : { activeAgent: active }),
    ...(run === undefined ? {} : { run: { ...runView(run, state), step: step?.turn === run.turn ? step.number : 0 } }),
    usage: spent,
  };
}

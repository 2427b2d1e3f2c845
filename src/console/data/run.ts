/** A run as a page holds it: the rows, their times and the selected agent, kept up by a worker of its own. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AgentView } from '../../client';
import { detailAfter } from './detail-patch';
import type { Row } from './outline';
import workerUrl from './run.worker?worker&url';
import type { Connection, FromWorker, ToWorker } from './run-messages';
import { isSignedOut, onSession, refused, SERVER, tokenNow } from './session';
import type { Gap, Span } from './spans';

/** What is held of a run. */
export interface RunState {
  readonly connection: Connection;
  /** By which connection the log comes. */
  readonly over: 'socket' | 'sse';
  readonly sequence: number;
  /** The first sequence of the log, where older ones were compacted. */
  readonly edge?: number | undefined;
  /** In the order in which the agents began. */
  readonly rows: readonly Row[];
  /** By agent. */
  readonly spans: ReadonlyMap<string, readonly Span[]>;
  readonly gaps: readonly Gap[];
  /** Whether some agent works now. */
  readonly busy: boolean;
  readonly detail?: AgentView | undefined;
  /** Whether older steps of it are not held. */
  readonly cut: boolean;
  /** Whether it is still read. */
  readonly loading: boolean;
}

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy;
}

/** The one policy of the page gives one script alone: the worker's. */
const own = (url: string): string => {
  if (url !== workerUrl) throw new TypeError('The page starts no other script.');
  return url;
};
const trusted: TrustedFactory | undefined = Reflect.get(globalThis, 'trustedTypes');
const policy = trusted?.createPolicy('offshoot-worker', { createScriptURL: own }) ?? { createScriptURL: own };

const NOTHING: RunState = {
  connection: { kind: 'opening' },
  over: 'socket',
  sequence: 0,
  rows: [],
  spans: new Map(),
  gaps: [],
  busy: false,
  cut: false,
  loading: false,
};

const NO_SPANS: readonly Span[] = [];

function rowsAfter(before: readonly Row[], { anew, outline }: FromWorker): readonly Row[] {
  if (outline.rows.length === 0) return anew ? [] : before;
  const held = new Map((anew ? [] : before).map((row) => [row.agentId, row]));
  for (const row of outline.rows) held.set(row.agentId, row);
  return [...held.values()];
}

function after(state: RunState, message: FromWorker): RunState {
  const { connection, over, sequence, edge, anew, outline, detail } = message;
  const spans = new Map(anew ? [] : state.spans);
  for (const [agentId, at, later] of outline.spans)
    spans.set(agentId, [...(spans.get(agentId) ?? NO_SPANS).slice(0, at), ...later]);
  const shown = detail?.patch === undefined ? state.detail : detailAfter(state.detail, detail.patch);
  return {
    ...{ connection, over, sequence, edge, gaps: outline.gaps, busy: outline.busy },
    rows: rowsAfter(state.rows, message),
    spans: outline.spans.length === 0 && !anew ? state.spans : spans,
    detail: shown,
    cut: detail?.cut ?? state.cut,
    loading: detail?.loading ?? state.loading,
  };
}

/**
 * Follows a root, and the agent of it that is selected.
 * @param end about where the log ends, where that is known
 */
export function useRun(address: string, selected: string, end: number | undefined): RunState {
  const [state, setState] = useState(NOTHING);
  const worker = useRef<Worker>(null);
  const out = useSyncExternalStore(onSession, isSignedOut);
  useEffect(() => {
    setState(NOTHING);
    if (out) return undefined;
    const started = new Worker(policy.createScriptURL(workerUrl), { type: 'module' });
    worker.current = started;
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.connection.kind === 'signed out') refused();
      setState((before) => after(before, data));
    });
    const open: ToWorker = { type: 'open', server: SERVER, address, token: tokenNow() };
    started.postMessage(open);
    return () => started.terminate();
  }, [address, out]);
  useEffect(() => {
    const select: ToWorker = { type: 'select', address: selected };
    worker.current?.postMessage(select);
  }, [selected]);
  useEffect(() => {
    if (end === undefined) return;
    const told: ToWorker = { type: 'end', sequence: end };
    worker.current?.postMessage(told);
  }, [end]);
  // The agent of before is no longer the one that is shown.
  const detail = state.detail?.address === selected ? state.detail : undefined;
  return { ...state, detail };
}

/** A run as a page holds it: the rows, their times and the selected agent, kept up by a worker of its own. */
import { startTransition, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AgentView } from '../../client';
import { DOUBTFUL, heard, logLost, logTries, onTry } from './away';
import workerUrl from './run.worker?worker&url';
import type { Connection, FromWorker, ToWorker } from './run-messages';
import { askForSign, isSignedOut, onSession, refused, SERVER, tokenNow } from './session';
import type { Gap, Span } from './timeline/spans';
import { detailAfter } from './tree/detail-patch';
import type { Row } from './tree/outline';

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

function tellLog(connection: Connection): void {
  if (connection.kind === 'reconnecting') {
    const isNew = connection.tries !== logTries();
    logLost(connection);
    // Whether the server is away or its log alone is told by another answer.
    if (isNew && connection.tries >= DOUBTFUL) void askForSign();
    return;
  }
  if (logTries() > 0) heard();
  logLost(undefined);
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

const sameGaps = (one: readonly Gap[], other: readonly Gap[]): boolean =>
  one.length === other.length && one.every(({ from, to }, at) => from === other[at]?.from && to === other[at].to);

/** What a page holds, brought up to date by what its worker tells: what has not changed stays the same object. */
class Held {
  #state = NOTHING;
  /** Where among the rows an agent is. */
  #places = new Map<string, number>();

  take(message: FromWorker): RunState {
    const { connection, over, sequence, edge, anew, outline, detail } = message;
    const before = anew ? { ...this.#state, rows: NOTHING.rows, spans: NOTHING.spans } : this.#state;
    if (anew) this.#places = new Map();
    const shown = detail?.patch === undefined ? before.detail : detailAfter(before.detail, detail.patch);
    this.#state = {
      ...{ connection, over, sequence, edge, busy: outline.busy },
      gaps: sameGaps(before.gaps, outline.gaps) ? before.gaps : outline.gaps,
      rows: this.#rows(before.rows, outline.rows),
      spans: spansAfter(before.spans, outline.spans),
      detail: shown,
      cut: detail?.cut ?? before.cut,
      loading: detail?.loading ?? before.loading,
    };
    return this.#state;
  }

  #rows(before: readonly Row[], changed: readonly Row[]): readonly Row[] {
    if (changed.length === 0) return before;
    const rows = [...before];
    for (const row of changed) {
      const at = this.#places.get(row.agentId) ?? rows.length;
      this.#places.set(row.agentId, at);
      rows[at] = row;
    }
    return rows;
  }
}

function spansAfter(before: RunState['spans'], changed: FromWorker['outline']['spans']): RunState['spans'] {
  if (changed.length === 0) return before;
  const spans = new Map(before);
  for (const [agentId, at, later] of changed)
    spans.set(agentId, [...(spans.get(agentId) ?? NO_SPANS).slice(0, at), ...later]);
  return spans;
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
    const held = new Held();
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      const { connection } = data;
      if (connection.kind === 'signed out') refused();
      tellLog(connection);
      const next = held.take(data);
      // What a person does meanwhile comes first.
      startTransition(() => setState(next));
    });
    const open: ToWorker = { type: 'open', server: SERVER, address, token: tokenNow() };
    started.postMessage(open);
    const again: ToWorker = { type: 'try' };
    const noTry = onTry(() => started.postMessage(again));
    return () => {
      noTry();
      logLost(undefined);
      started.terminate();
    };
  }, [address, out]);
  // The next patch comes once this one is drawn, so that a page that is slow is behind and not deaf.
  useEffect(() => {
    const drawn: ToWorker = { type: 'drawn' };
    if (state !== NOTHING) worker.current?.postMessage(drawn);
  }, [state]);
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

/** A run as a page holds it: the rows and the selected agent, kept up by a worker of its own. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AgentView } from '../../client';
import type { Row } from './outline';
import workerUrl from './run.worker?worker&url';
import type { Connection, FromWorker, ToWorker } from './run-messages';
import { isSignedOut, onSession, refused, SERVER, tokenNow } from './session';

/** What is held of a run. */
export interface RunState {
  readonly connection: Connection;
  readonly sequence: number;
  readonly edge?: number | undefined;
  readonly rows: readonly Row[];
  readonly detail?: AgentView | undefined;
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

const NOTHING: RunState = { connection: { kind: 'opening' }, sequence: 0, rows: [] };

function after(state: RunState, { connection, sequence, edge, anew, rows, detail }: FromWorker): RunState {
  const held = new Map((anew ? [] : state.rows).map((row) => [row.agentId, row]));
  for (const row of rows) held.set(row.agentId, row);
  const all = rows.length === 0 && !anew ? state.rows : [...held.values()];
  return { connection, sequence, edge, rows: all, detail: detail ?? state.detail };
}

/** Follows a root, and the agent of it that is selected. */
export function useRun(address: string, selected: string): RunState {
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
  // The agent of before is no longer the one that is shown.
  const detail = state.detail?.address === selected ? state.detail : undefined;
  return { ...state, detail };
}

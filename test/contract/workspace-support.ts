/** Workspaces over a storage: the tools of an agent over its own files, and of one that inherited them. */
import type { WorkspaceTool } from '../../src/core/agent/built-in/workspace';
import type { Child } from '../../src/core/agent/children/child';
import type { Session } from '../../src/core/agent/state';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/definition/limits';
import type { FileStore } from '../../src/core/ports/file-store';
import type { WorkFiles } from '../../src/core/ports/work-files';
import { answerFiles, workFilesOf } from '../../src/engine/files/work-files';
import type { FilesAnswer, FilesCall } from '../../src/engine/object/object-calls';
import { workspaceBody } from '../../src/engine/workspace/bodies';
import { OffshootError } from '../../src/protocol/errors';
import type { JsonObject } from '../../src/protocol/json';
import { createFileStore, type FileStorage } from '../../src/store/files';
import { sqlStores } from '../../src/store/object-stores';
import { VirtualTime } from '../support/virtual-time';
import { watched } from './files-support';
import { childRecord } from './stores-support';

/** A call of a tool: what it gave, or the code and the message of why not. */
export type Call = (
  tool: WorkspaceTool,
  input: object,
  how?: { readonly key?: string; readonly limits?: Partial<Limits> },
) => Promise<JsonObject & { readonly error?: string; readonly code?: string }>;

/** A workspace, and what is below it. */
export interface Bench {
  readonly call: Call;
  readonly files: WorkFiles;
  readonly store: FileStore;
  /** What the storage was asked. */
  readonly counts: ReturnType<typeof watched>['counts'];
  readonly time: VirtualTime;
  /** The children of the owner whose tasks are open: the one that inherited the files. */
  readonly children: Map<number, Child>;
  /** The owner's agent, where it is there. */
  owner: { readonly state: { readonly session: Session; readonly children: Map<number, Child> } } | undefined;
  /** Every call to the owner of the files, where they were inherited; it may be lost, or its answer, by throwing. */
  network(perform: () => Promise<FilesAnswer>, call: FilesCall): Promise<FilesAnswer>;
}

const ROOT = { className: 'Top', name: 'one' };
const OWNER = { sessionId: 's_owner', address: '/agents/top/one' };

const sessionOf = (who: { sessionId: string; address: string }, more: Partial<Session> = {}): Session => ({
  ...who,
  agentType: 'agent',
  root: ROOT,
  depth: 1,
  createdAt: 1,
  tags: [],
  ...more,
});

/** Whose files the tools work on. */
export type Whose = 'own' | 'inherited';

/** A workspace over an empty storage. */
export function benchOver(raw: FileStorage, whose: Whose): Bench {
  const { storage, counts } = watched(raw);
  const stores = sqlStores(storage, false);
  stores.make();
  const time = new VirtualTime();
  const { environment } = time;
  const store = createFileStore(storage, { now: environment.now });
  const child = childRecord(1, 'Leaf', '1~1');
  const session = sessionOf(OWNER);
  const children = new Map([[1, child]]);
  const bench: Omit<Bench, 'call' | 'files'> = {
    store,
    counts,
    time,
    children,
    owner: { state: { session, children } },
    network: (perform) => perform(),
  };
  const owner = {
    get agent() {
      return bench.owner;
    },
    store: stores.agent,
    environment,
    ports: { files: store, askFiles: () => Promise.reject(new Error('It owns its files.')) },
  };
  const heir = {
    agent: undefined,
    store: stores.agent,
    environment,
    ports: {
      files: store,
      askFiles: (_root: object, call: FilesCall) => bench.network(() => answerFiles(owner, call), call),
    },
  };
  const files =
    whose === 'own'
      ? workFilesOf(owner, session)
      : workFilesOf(heir, sessionOf(child, { workspace: { is: 'inherited', owner: OWNER, rules: {} } }));
  let calls = 0;
  const call: Call = async (tool, input, { key = `c_${++calls}`, limits = {} } = {}) => {
    const body = workspaceBody(tool);
    if (body === undefined) throw new TypeError(`There is no ${tool}.`);
    try {
      const { signal } = new AbortController();
      return await body(input, { files, key, signal, limits: { ...DEFAULT_LIMITS, ...limits } });
    } catch (error) {
      if (error instanceof OffshootError) return { code: error.code, error: error.message };
      throw error;
    }
  };
  return Object.assign(bench, { call, files });
}

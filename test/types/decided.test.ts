/** Places that must decide about a further kind of child, verb of a stop, or chunk: the compiler names each. */
import { describe, expect, it } from 'vitest';
import { complaints, type Replaced } from '../support/compiler';

/** The unions of a relationship, each with one value more. */
const RELATIONSHIP: Replaced = {
  file: 'src/core/definition/definition.ts',
  texts: [
    ["readonly lifetime: 'call' | 'named';", "readonly lifetime: 'call' | 'named' | 'other';"],
    ["readonly await: 'step' | 'notice';", "readonly await: 'step' | 'notice' | 'other';"],
    [
      "readonly deliver: 'result' | 'notice' | 'envelope';",
      "readonly deliver: 'result' | 'notice' | 'envelope' | 'other';",
    ],
    [
      "readonly placement: 'facet' | 'object' | 'remote';",
      "readonly placement: 'facet' | 'object' | 'remote' | 'other';",
    ],
    [
      "ParentSuspendRule = 'continue' | 'pause' | 'respawn';",
      "ParentSuspendRule = 'continue' | 'pause' | 'respawn' | 'other';",
    ],
    [
      "ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read';",
      "ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read' | 'other';",
    ],
    ["RetentionRule = 'tree' | 'run';", "RetentionRule = 'tree' | 'run' | 'other';"],
    ["FailureRule = 'result' | 'wait';", "FailureRule = 'result' | 'wait' | 'other';"],
  ],
};

const STOP: Replaced = {
  file: 'src/core/agent/runs/stop-verb.ts',
  texts: [["['interrupt', 'abort', 'terminate'] as const", "['interrupt', 'abort', 'terminate', 'other'] as const"]],
};

const STATUSES = "const AWAITED_STATUSES = ['working', 'waiting', 'failed'] as const;";
const ROW = '  run_recovered: loud({ reason: text }),';
/** Rows and fields of the table of chunks that leave something undecided, or say what cannot be. */
const UNDECIDED = [
  'export const noQuiet: ChunkRow<Fields> = { fields: { reason: text } };',
  'export const noSize = loud({ reason: { schema: z.string() } });',
  "export const shortJson = field(jsonSchema, 'short');",
  "export const shortFailure = field(failureSchema, 'short');",
  "export const shortList = field(z.array(jsonSchema).readonly(), 'short');",
  "export const longNumber = field(z.number(), 'json');",
];
const CHUNKS: Replaced = {
  file: 'src/protocol/chunks.ts',
  texts: [
    [STATUSES, [STATUSES, ...UNDECIDED].join('\n')],
    [ROW, `${ROW}\n  another: quiet({ at: whole }),`],
  ],
};

/** Those that decide, and what they import: without the rest, a compile takes half of the time. */
const FOLDERS = ['core', 'engine', 'gateway', 'protocol', 'verbs'];

const OF_CHILDREN = [
  'core/agent/children/cascade.ts afterFailure',
  'core/agent/children/cascade.ts paused',
  'core/agent/children/child-plan.ts planChild',
  'core/agent/children/child-retention.ts keptBy',
  'core/agent/children/child.ts isHeldByCall',
  'core/agent/children/child.ts isLasting',
  'core/agent/children/child.ts isNotified',
  'core/agent/children/child.ts modeOf',
  'core/agent/children/placement.ts placementBelow',
  'core/agent/children/workspace-owner.ts workspaceOfChild',
  'core/tree/relationship-rules.ts goesWithItsTurn',
  'core/tree/relationship-rules.ts takesFurtherTasks',
  'gateway/agents/worker.ts workerOf',
  'gateway/directory-route.ts childrenPage',
  'verbs/reads/children.ts children',
  'verbs/reads/tree.ts placeOf',
];
const OF_STOPS = [
  'core/agent/runs/stop-verb.ts MEANINGS',
  'core/agent/runs/stop.ts stopOutcome',
  'core/tree/verbs/route.ts routeOfStop',
  'gateway/directory-route.ts childrenPage',
  'verbs/actions/stop.ts reasonOf',
  'verbs/actions/stop.ts stopVerb',
  'verbs/reads/children.ts children',
  'verbs/reads/overview.ts status',
  'verbs/reads/tree.ts shown',
];
const OF_CHUNKS = [
  ...UNDECIDED.map((row) => `protocol/chunks.ts ${/const (\w+)/.exec(row)?.[1]}`),
  'protocol/view/reduce.ts agentAfter',
];

describe('what does not compile before everything that must decide about it has decided', () => {
  it('[DG28, W26] a further value in a relationship; a chunk that is undecided, and a further type of one', () => {
    expect(complaints([RELATIONSHIP, CHUNKS], FOLDERS)).toEqual([...OF_CHILDREN, ...OF_CHUNKS].sort());
  });

  it('[SP15] a further verb of a stop', () => {
    expect(complaints([STOP], FOLDERS)).toEqual(OF_STOPS);
  });
});

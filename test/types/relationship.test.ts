/** What the compiler holds: whoever adds a kind of child, or of stop, is told every place that has to decide about it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complaints } from '../support/compiler';

const DEFINITION = join('src', 'core', 'definition', 'definition.ts');
const STOP_VERB = join('src', 'core', 'agent', 'stop-verb.ts');

/** The unions of a relationship, each with one value more. */
const WIDER: readonly (readonly [is: string, becomes: string])[] = [
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
    "ChildWorkspace = 'session' | 'per-invocation' | 'inherited';",
    "ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'other';",
  ],
  ["RetentionRule = 'tree' | 'run';", "RetentionRule = 'tree' | 'run' | 'other';"],
  ["FailureRule = 'result' | 'wait';", "FailureRule = 'result' | 'wait' | 'other';"],
];

describe('a further value in a relationship', () => {
  it('[DG28] does not compile before every machine that must decide about it has decided', () => {
    expect(complaints(DEFINITION, WIDER)).toEqual([
      'core/agent/cascade.ts afterFailure',
      'core/agent/cascade.ts paused',
      'core/agent/child-plan.ts planChild',
      'core/agent/child-retention.ts keptBy',
      'core/agent/child.ts isHeldByCall',
      'core/agent/child.ts isLasting',
      'core/agent/child.ts isNotified',
      'core/agent/child.ts modeOf',
      'core/agent/placement.ts placementBelow',
      'core/agent/workspace-owner.ts workspaceOfChild',
      'core/tree/relationship-rules.ts goesWithItsTurn',
      'core/tree/relationship-rules.ts takesFurtherTasks',
      'gateway/directory-route.ts childrenPage',
      'gateway/worker-agents.ts workerOf',
      'verbs/children.ts children',
      'verbs/tree.ts placeOf',
    ]);
  });
});

describe('a further verb of a stop', () => {
  it('[SP15] does not compile before all that must decide about it have decided', () => {
    const list = "['interrupt', 'abort', 'terminate'] as const";
    expect(complaints(STOP_VERB, [[list, list.replace(']', ", 'other']")]])).toEqual([
      'core/agent/stop-verb.ts MEANINGS',
      'core/agent/stop.ts stopOutcome',
      'core/tree/controls.ts stopOf',
      'gateway/directory-route.ts childrenPage',
      'verbs/children.ts children',
      'verbs/overview.ts status',
      'verbs/stop.ts reasonOf',
      'verbs/tree.ts shown',
    ]);
  });
});

/** The private members of the SDK that `src/host/sdk-internals.ts` uses. A new one there needs a line here. */

/** Methods of `Agent.prototype`, with the number of parameters that stand before the first one with a default. */
export const SDK_METHODS: Readonly<Record<string, number>> = {
  _cf_acquireFacetKeepAlive: 1,
  _cf_initAsFacet: 1,
  _cf_invokeAgentPath: 3,
  _cf_invokeSubAgent: 4,
  _cf_releaseFacetKeepAlive: 1,
  _cf_requestTargetsSubAgent: 1,
  _ensureSchema: 0,
  _onAlarmHousekeeping: 0,
  _unsafe_getConnectionFlag: 2,
  _unsafe_setConnectionFlag: 3,
};

/** Getters of `Agent.prototype`. */
export const SDK_GETTERS: readonly string[] = ['_dynamicAgents'];

/** Methods of `scheduler`, which its queue calls on the object, with their parameters. */
export const SDK_SCHEDULER: Readonly<Record<string, number>> = { onJob: 1, onJobError: 2 };

/** Methods of the protected `scheduler.lifecycle.jobs`, with their parameters. */
export const SDK_JOBS: Readonly<Record<string, number>> = { cancel: 1, get: 1, reschedule: 2 };

/** Methods of `_dynamicAgents.registry`, with their parameters. */
export const SDK_REGISTRY: Readonly<Record<string, number>> = { identity: 3, record: 3 };

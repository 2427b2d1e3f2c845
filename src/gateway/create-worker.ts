/** The default export of a Worker: its routes over the agents that it exports. */

import type { Authorize } from '../access/auth';
import { addDoor } from '../access/doors';
import type { NewRootLimits } from '../core/tree/root-claims';
import { createApp } from './app';
import { exportsOf } from './objects';
import { misconfigured } from './problem';
import { type AgentClass, definitionsOf, listAgents, missingPart } from './registry';
import { letGo } from './request-body';

/** How a Worker is made. */
export interface WorkerOptions {
  /** The classes made by `AgentObject.of(definition)`, sub-agents too. The Worker must export each under its own name. */
  readonly agents: readonly AgentClass[];
  /** Who may do what; without it, who has `OFFSHOOT_TOKEN`; without that, whoever is on this machine. */
  readonly authorize?: Authorize;
  /** Origins (`https://app.example`) whose pages may change something and open sockets, beside the Worker's own. */
  readonly allowedOrigins?: readonly string[];
  /**
   * How many roots each caller may begin, over HTTP: `perCaller` at once, `perMinute` within 60 s, whole numbers from 1
   * on. Callers are the subjects that `authorize` names. Default: no limit. A further one is refused with `too_many_roots`.
   */
  readonly newRoots?: NewRootLimits;
  /** One line about the models in use, for whoever may open `/`. */
  readonly describeModel?: (env: object) => string;
}

/** What `createWorker` gives. */
export interface OffshootWorker {
  fetch(request: Request, env: object, context: object): Promise<Response>;
}

/**
 * Makes the default export of a Worker. What is missing in the Worker's exports or migrations is found with the first
 * request: the answer and the log name the line to add.
 * @throws TypeError when two agents become one class, a class is no agent, or an allowed origin is none, or a limit
 */
export function createWorker(options: WorkerOptions): OffshootWorker {
  const definitions = definitionsOf(options.agents);
  listAgents(definitions);
  for (const origin of options.allowedOrigins ?? []) checkOrigin(origin);
  const { authorize, allowedOrigins = [], newRoots } = options;
  if (newRoots) checkNewRoots(newRoots);
  const app = createApp({ definitions, authorize, door: addDoor(authorize), allowedOrigins, newRoots });
  let complete = false;
  const answer = async (request: Request, env: object, context: object): Promise<Response> => {
    const exports = exportsOf(context);
    if (!complete) {
      const missing = missingPart(definitions, exports);
      if (missing !== undefined) return misconfigured(missing);
      complete = true;
    }
    const { OFFSHOOT_TOKEN: token } = env as { OFFSHOOT_TOKEN?: unknown };
    return app.fetch(request, {
      exports,
      token: typeof token === 'string' ? token : undefined,
      model: () => options.describeModel?.(env),
    });
  };
  return {
    fetch: (request, env, context) => answer(request, env, context).finally(() => letGo(request)),
  };
}

function checkNewRoots(limits: NewRootLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (name !== 'perCaller' && name !== 'perMinute')
      throw new TypeError(`createWorker: newRoots has perCaller and perMinute, not "${name}".`);
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`createWorker: newRoots.${name} is a whole number from 1 on.`);
  }
}

/** One that is written otherwise than browsers send it would allow nothing, without a word. */
function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  throw new TypeError(
    `createWorker: "${origin}" in allowedOrigins is no origin. Write it as browsers send it: https://app.example, without a path.`,
  );
}

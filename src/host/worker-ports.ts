/** What the composition root gives to the objects of a Worker: the parts that adapters provide. */
import type { AgentDefinition } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import type { Capability } from '../engine/capability';
import type { ObjectRuntime } from '../engine/object/object';
import type { RequestOpening, RightNow, VerbAnswer, VerbCall } from '../engine/object/object-calls';
import type { ObjectSockets, SocketDeps } from '../engine/object/object-sockets';
import type { Action } from '../protocol/shown/actions';

/** The adapters in use. Set once, by the library's entry. */
export interface WorkerPorts {
  /** The definition of an agent that shares its class with others, by its class in the table of agents. */
  shared(className: string): AgentDefinition | undefined;
  /** Those of this version. */
  readonly capabilities: readonly Capability[];
  model(definition: AgentDefinition, at: number, env: unknown): ModelPort | Promise<ModelPort>;
  verb(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer>;
  /** Whether what a request opened may still be done, by the door that let it in. */
  access(
    opening: RequestOpening,
    question: { readonly address: string; readonly action: Action },
    env: unknown,
  ): Promise<RightNow>;
  sockets(deps: SocketDeps): ObjectSockets;
  /** Called after each commit of any object; a test may crash there. */
  committed?(what: string): void;
}

let current: WorkerPorts | undefined;

/** Sets the adapters; the last call wins. */
export function setWorkerPorts(ports: WorkerPorts): void {
  current = ports;
}

/** The adapters in use. */
export function workerPorts(): WorkerPorts {
  if (current === undefined) throw new Error('Import AgentObject from "offshoot/worker": its entry sets the adapters.');
  return current;
}

/** True for an agent whose objects are of the shared class. */
export function isShared(className: string): boolean {
  return workerPorts().shared(className) !== undefined;
}

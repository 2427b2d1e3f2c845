/** From the models of a definition to ports. */
import type { AgentDefinition, ModelSource } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import { modelsOf } from '../core/definition/models/models';
import { modelPort } from './adapter';

/** The port of a model: the model itself where it is a port, else an adapter over it. */
export function portOf(model: ModelSource, env: unknown): ModelPort {
  return isPort(model) ? model : modelPort(model, env);
}

function isPort(model: ModelSource): model is Extract<ModelSource, ModelPort> {
  return typeof model === 'object' && 'call' in model;
}

/** The ports of the models of definitions, each made once for an environment. */
export class ModelPorts {
  readonly #known = new WeakMap<AgentDefinition, { readonly env: unknown; readonly ports: Map<number, ModelPort> }>();

  /** The port of a model by its place among those of its definition. */
  of(definition: AgentDefinition, at: number, env: unknown): ModelPort {
    let known = this.#known.get(definition);
    if (known?.env !== env || known === undefined) {
      known = { env, ports: new Map() };
      this.#known.set(definition, known);
    }
    const port = known.ports.get(at) ?? portOf((modelsOf(definition)[at] ?? definition).model, env);
    known.ports.set(at, port);
    return port;
  }
}
